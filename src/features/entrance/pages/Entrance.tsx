import '#ui/icons/app-icons.ts'
import '#features/entrance/style.css'
import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { checkServiceCode } from '#domain/checks/service-code.ts'
import { cleanCode } from '#domain/text.ts'
import { useConnection, useDispatch, useSelector } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { Page } from '#ui/page/Page.tsx'
import { showToast, Toasts } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'
import { FoundService } from '#features/entrance/components/FoundService.tsx'
import {
  type EntranceService,
  storeFoundServices,
  readFoundServices,
  addFoundService,
  removeServiceCode,
} from '#features/entrance/found-services.ts'
import { findService, selectIsFinding } from '#features/entrance/find-service.ts'

const normaliseServiceCode = (text: string) => cleanCode(text).toLowerCase()

/** Anybody finds a service by its code here (portal 2, 5, 9). What was found once is found without a network too. */
export function Entrance() {
  const { t } = useTranslation('entrance')
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [query, setQuery] = useSearchParams()
  const [code, setCode] = useState((query.get('code') ?? '').toLowerCase())
  const [codeError, setCodeError] = useState<'REQUIRED' | 'RESERVED' | 'MISSING' | null>(null)
  const isSearching = useSelector(selectIsFinding)
  const [result, setResult] = useState<{ service: EntranceService; isCached: boolean } | null>(null)
  const [foundServices, setFoundServices] = useState(readFoundServices)
  const formRef = useRef<HTMLFormElement>(null)
  const getInput = () => formRef.current?.querySelector('input')

  function storeServices(services: EntranceService[]) {
    setFoundServices(services)
    storeFoundServices(services)
  }
  function showError(error: typeof codeError) {
    setCodeError(error)
    setResult(null)
    getInput()?.focus()
  }

  /** Of several that were asked for the last one counts, whose answer need not be the last to come. */
  const latestRequestId = useRef<string>(null)
  async function findByCode(serviceCode: string) {
    const problem = checkServiceCode('code', serviceCode)
    if (problem) return showError(problem.code === 'REQUIRED' || problem.code === 'RESERVED' ? problem.code : 'MISSING')
    setCodeError(null)
    const request = dispatch(findService(serviceCode))
    latestRequestId.current = request.requestId
    const action = await request
    if (latestRequestId.current !== request.requestId) return
    const isFound = findService.fulfilled.match(action)
    if (!isFound && action.payload?.code === 'NOT_FOUND') return showError('MISSING')
    const cachedService = foundServices.find((service) => service.code === serviceCode)
    if (!isFound && !cachedService) {
      setResult(null)
      // portal 8: the words for a look-up that itself failed.
      return showToast({ kind: 'failed', text: t('failed') })
    }
    setQuery({ code: serviceCode }, { replace: true })
    if (!isFound) return cachedService && setResult({ service: cachedService, isCached: true })
    storeServices(addFoundService(foundServices, action.payload))
    setResult({ service: action.payload, isCached: false })
  }

  // Whoever comes with a code, from the home page or by a link of a colleague, is answered at once.
  const initialCode = useRef(code.trim())
  useEffect(() => {
    const firstCode = initialCode.current
    initialCode.current = ''
    if (firstCode !== '') void findByCode(firstCode)
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isSearching) void findByCode(normaliseServiceCode(code))
  }
  function handleCodeChange({ target }: ChangeEvent<HTMLInputElement>) {
    setCode(target.value.toLowerCase())
    setCodeError(null)
  }
  function openService(service: EntranceService) {
    setCode(service.code)
    void findByCode(service.code)
  }

  const errorMessages = {
    REQUIRED: () => formatFieldProblem({ code: 'REQUIRED' }, t('code')),
    RESERVED: () => t('reserved', { code: code.trim() }),
    MISSING: () => t('missing'),
  }
  return (
    <div className="entrance">
      <Page title={t('title')} intro={t('lead')} width="narrow">
        <form className="card form" ref={formRef} noValidate onSubmit={submit}>
          <Field
            label={t('code')}
            size="code"
            name="code"
            value={code}
            help={t('help')}
            error={codeError && errorMessages[codeError]()}
            autoCapitalize="none"
            autoComplete="off"
            autoCorrect="off"
            spellCheck={false}
            enterKeyHint="search"
            maxLength={40}
            {...normaliseOnBlur({ onChange: handleCodeChange }, normaliseServiceCode)}
          />
          {connection !== 'online' && (
            <p className="entrance-offline" role="status">
              <Icon name="offline" />
              {t('offline')}
            </p>
          )}
          <div>
            <Button kind="primary" type="submit" isBusy={isSearching}>
              {isSearching ? t('finding') : t('find')}
            </Button>
          </div>
        </form>
        {result && <FoundService service={result.service} isCached={result.isCached} />}
        {foundServices.length > 0 && (
          <section aria-labelledby="entrance-last">
            <h2 id="entrance-last">{t('last.title')}</h2>
            <ul className="entrance-last">
              {foundServices.map((service) => (
                <li key={service.code}>
                  <button
                    type="button"
                    className="button quiet"
                    aria-label={t('last.open', { code: service.code })}
                    onClick={() => openService(service)}
                  >
                    <code>{service.code}</code>
                  </button>
                  <Button
                    kind="plain"
                    isIconOnly
                    icon="close"
                    onClick={() => storeServices(removeServiceCode(foundServices, service.code))}
                  >
                    {t('last.forget', { code: service.code })}
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
