import '#features/entrance/style.css'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { checkServiceCode } from '#domain/checks/service-code.ts'
import type { CallResult } from '#request/call-results.ts'
import { useAction } from '#state/use-action.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Page } from '#ui/page/Page.tsx'
import { showToast, Toasts } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { CodeField, type CodeError } from '#features/entrance/components/CodeField.tsx'
import { normaliseServiceCode } from '#features/entrance/service-code.ts'
import { FoundService } from '#features/entrance/components/FoundService.tsx'
import { RecentCodes } from '#features/entrance/components/RecentCodes.tsx'
import {
  type EntranceService,
  storeFoundServices,
  readFoundServices,
  addFoundService,
  removeServiceCode,
} from '#features/entrance/found-services.ts'
import { findService } from '#features/entrance/find-service.ts'

/** Anybody can find a service by its code (portal 2, 5, 9). A service that was found once can also be found offline. */
export function Entrance() {
  const { t } = useTranslation('entrance')
  const { networkState: connection } = useConnection()
  const [query, setQuery] = useSearchParams()
  const [code, setCode] = useState((query.get('code') ?? '').toLowerCase())
  const [codeError, setCodeError] = useState<CodeError | null>(null)
  const { run: search, isBusy: isSearching } = useAction(findService)
  const [result, setResult] = useState<{ service: EntranceService; isCached: boolean } | null>(null)
  const [foundServices, setFoundServices] = useState(readFoundServices)
  const formRef = useRef<HTMLFormElement>(null)
  const getInput = () => formRef.current?.querySelector('input')

  function storeServices(services: EntranceService[]) {
    setFoundServices(services)
    storeFoundServices(services)
  }
  function showError(error: CodeError) {
    setCodeError(error)
    setResult(null)
    getInput()?.focus()
  }

  /** Number of the latest search. Responses of earlier searches are ignored, because they may arrive later. */
  const latestSearchId = useRef(0)
  async function findByCode(serviceCode: string) {
    const problem = checkServiceCode('code', serviceCode)
    if (problem) return showError(problem.code === 'REQUIRED' || problem.code === 'RESERVED' ? problem.code : 'MISSING')
    setCodeError(null)
    const searchId = ++latestSearchId.current
    const response = await search(serviceCode)
    if (latestSearchId.current === searchId) showResponse(serviceCode, response)
  }
  function showResponse(serviceCode: string, response: CallResult<EntranceService>) {
    if (response.kind === 'problem' && response.problem.code === 'NOT_FOUND') return showError('MISSING')
    const foundService = response.kind === 'fresh' ? response.output : null
    const service = foundService ?? foundServices.find(({ code }) => code === serviceCode)
    if (!service) {
      setResult(null)
      // The message for a failed look-up (portal 8).
      return showToast({ kind: 'failed', text: t('failed') })
    }
    setQuery({ code: serviceCode }, { replace: true })
    if (foundService) storeServices(addFoundService(foundServices, foundService))
    setResult({ service, isCached: !foundService })
  }

  // The code in the address, from the home page or a colleague's link. It is looked up when the page opens.
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
  function handleCodeChange(newCode: string) {
    setCode(newCode)
    setCodeError(null)
  }
  function openService(serviceCode: string) {
    setCode(serviceCode)
    void findByCode(serviceCode)
  }

  return (
    <div className="entrance">
      <Page title={t('title')} intro={t('lead')} width="narrow">
        <form className="card form" ref={formRef} noValidate onSubmit={submit}>
          <CodeField code={code} error={codeError} onChange={handleCodeChange} />
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
        {result && <FoundService {...result} />}
        {foundServices.length > 0 && (
          <RecentCodes
            services={foundServices}
            onOpen={openService}
            onRemove={(serviceCode) => storeServices(removeServiceCode(foundServices, serviceCode))}
          />
        )}
      </Page>
      <Toasts />
    </div>
  )
}
