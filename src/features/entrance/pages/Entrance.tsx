import '#ui/icons.ts'
import '#features/entrance/style.css'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { checkServiceCode } from '#domain/entrance.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/Button.tsx'
import { Field } from '#ui/Field.tsx'
import { Icon } from '#ui/Icon.tsx'
import { Page } from '#ui/Page.tsx'
import { showToast, Toasts } from '#ui/toasts.tsx'
import { fieldWords, useWords } from '#ui/words.ts'
import { FoundService } from '#features/entrance/components/FoundService.tsx'
import { type Found, keepFound, readFound, withFound, withoutCode } from '#features/entrance/known.ts'
import { look } from '#features/entrance/look.ts'

/** Anybody finds a service by its code here (portal 2, 5, 9). What was found once is found without a network too. */
export function Entrance() {
  const t = useWords('entrance')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [query, setQuery] = useSearchParams()
  const [code, setCode] = useState(query.get('code') ?? '')
  const [wrong, setWrong] = useState<'REQUIRED' | 'RESERVED' | 'MISSING' | null>(null)
  const [busy, setBusy] = useState(false)
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
  const latest = useRef(0)
  async function find(asked: string) {
    const problem = checkServiceCode('code', asked)
    if (problem) return refuse(problem.code === 'REQUIRED' || problem.code === 'RESERVED' ? problem.code : 'MISSING')
    setWrong(null)
    setBusy(true)
    latest.current += 1
    const mine = latest.current
    const answer = await dispatch(look(asked))
    if (mine !== latest.current) return
    setBusy(false)
    if (answer.is === 'missing') return refuse('MISSING')
    const kept = known.find((one) => one.code === asked)
    if (answer.is === 'failed' && !kept) {
      setFound(null)
      // portal 8: the words for a look-up that itself failed.
      return showToast({ kind: 'failed', text: t('failed') })
    }
    setQuery({ code: asked }, { replace: true })
    if (answer.is === 'failed') return kept && setFound({ service: kept, isKept: true })
    remember(withFound(known, answer.service))
    setFound({ service: answer.service, isKept: false })
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
    if (!busy) void find(code.trim())
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
            onChange={({ target }) => {
              setCode(target.value)
              setWrong(null)
            }}
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
