import '#ui/icons/app-icons.ts'
import '#features/entrance/style.css'
import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { checkServiceCode } from '#domain/checks/entrance.ts'
import { tidyCode } from '#domain/text.ts'
import { useConnection, useDispatch, useSelector } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field } from '#ui/form/Field.tsx'
import { tidyOnLeave } from '#ui/form/tidy-on-leave.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { Page } from '#ui/page/Page.tsx'
import { showToast, Toasts } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { fieldWords } from '#ui/i18n/problem-messages.ts'
import { FoundService } from '#features/entrance/components/FoundService.tsx'
import { type Found, keepFound, readFound, withFound, withoutCode } from '#features/entrance/found-services.ts'
import { findService, selectIsFinding } from '#features/entrance/slice.ts'

const tidyServiceCode = (text: string) => tidyCode(text).toLowerCase()

/** Anybody finds a service by its code here (portal 2, 5, 9). What was found once is found without a network too. */
export function Entrance() {
  const { t } = useTranslation('entrance')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [query, setQuery] = useSearchParams()
  const [code, setCode] = useState((query.get('code') ?? '').toLowerCase())
  const [wrong, setWrong] = useState<'REQUIRED' | 'RESERVED' | 'MISSING' | null>(null)
  const busy = useSelector(selectIsFinding)
  const [found, setFound] = useState<{ service: Found; isKept: boolean } | null>(null)
  const [known, setKnown] = useState(readFound)
  const form = useRef<HTMLFormElement>(null)
  const input = () => form.current?.querySelector('input')

  function remember(all: Found[]) {
    setKnown(all)
    keepFound(all)
  }
  function refuse(why: typeof wrong) {
    setWrong(why)
    setFound(null)
    input()?.focus()
  }

  /** Of several that were asked for the last one counts, whose answer need not be the last to come. */
  const latest = useRef<string>(null)
  async function find(asked: string) {
    const problem = checkServiceCode('code', asked)
    if (problem) return refuse(problem.code === 'REQUIRED' || problem.code === 'RESERVED' ? problem.code : 'MISSING')
    setWrong(null)
    const request = dispatch(findService(asked))
    latest.current = request.requestId
    const action = await request
    if (latest.current !== request.requestId) return
    const isFound = findService.fulfilled.match(action)
    if (!isFound && action.payload?.code === 'NOT_FOUND') return refuse('MISSING')
    const kept = known.find((one) => one.code === asked)
    if (!isFound && !kept) {
      setFound(null)
      // portal 8: the words for a look-up that itself failed.
      return showToast({ kind: 'failed', text: t('failed') })
    }
    setQuery({ code: asked }, { replace: true })
    if (!isFound) return kept && setFound({ service: kept, isKept: true })
    remember(withFound(known, action.payload))
    setFound({ service: action.payload, isKept: false })
  }

  // Whoever comes with a code, from the home page or by a link of a colleague, is answered at once.
  const asked = useRef(code.trim())
  useEffect(() => {
    const first = asked.current
    asked.current = ''
    if (first !== '') void find(first)
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!busy) void find(tidyServiceCode(code))
  }
  function typeCode({ target }: ChangeEvent<HTMLInputElement>) {
    setCode(target.value.toLowerCase())
    setWrong(null)
  }
  function show(one: Found) {
    setCode(one.code)
    void find(one.code)
  }

  const said = {
    REQUIRED: () => fieldWords({ code: 'REQUIRED' }, t('code')),
    RESERVED: () => t('reserved', { code: code.trim() }),
    MISSING: () => t('missing'),
  }
  return (
    <div className="entrance">
      <Page title={t('title')} intro={t('lead')} width="narrow">
        <form className="card form" ref={form} noValidate onSubmit={submit}>
          <Field
            label={t('code')}
            size="code"
            name="code"
            value={code}
            help={t('help')}
            error={wrong && said[wrong]()}
            autoCapitalize="none"
            autoComplete="off"
            autoCorrect="off"
            spellCheck={false}
            enterKeyHint="search"
            maxLength={40}
            {...tidyOnLeave({ onChange: typeCode }, tidyServiceCode)}
          />
          {line !== 'online' && (
            <p className="entrance-offline" role="status">
              <Icon name="offline" />
              {t('offline')}
            </p>
          )}
          <div>
            <Button kind="primary" type="submit" busy={busy}>
              {busy ? t('finding') : t('find')}
            </Button>
          </div>
        </form>
        {found && <FoundService found={found.service} isKept={found.isKept} />}
        {known.length > 0 && (
          <section aria-labelledby="entrance-last">
            <h2 id="entrance-last">{t('last.title')}</h2>
            <ul className="entrance-last">
              {known.map((one) => (
                <li key={one.code}>
                  <button
                    type="button"
                    className="button quiet"
                    aria-label={t('last.open', { code: one.code })}
                    onClick={() => show(one)}
                  >
                    <code>{one.code}</code>
                  </button>
                  <Button kind="plain" bare icon="close" onClick={() => remember(withoutCode(known, one.code))}>
                    {t('last.forget', { code: one.code })}
                  </Button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </Page>
      <Toasts />
    </div>
  )
}
