import { useEffect, useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { listJoinedContracts } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

interface JoinedContractsProps {
  type: ClientType
  conditions: readonly string[]
  isAnyCondition: boolean
}

/** While one goes on choosing, nobody is asked. */
const requestDelayMs = 400

/** What is sold stays as it is: an automodule joins a contract at its next change or extension. Which these are (D77). */
export function JoinedContracts({ type, conditions, isAnyCondition }: JoinedContractsProps) {
  const { t } = useTranslation('modules')
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [joinedContracts, setJoinedContracts] = useState<OutputOf<typeof listJoinedContracts> | 'unknown' | null>(null)
  const codes = conditions.join()
  useEffect(() => {
    setJoinedContracts(null)
    if (codes === '') return
    let isActive = true
    const timer = setTimeout(async () => {
      const result = await dispatch(
        callEndpoint(listJoinedContracts, { query: { type, conditions: codes, any: isAnyCondition } }),
      )
      if (isActive) setJoinedContracts('output' in result ? result.output : 'unknown')
    }, requestDelayMs)
    return () => {
      isActive = false
      clearTimeout(timer)
    }
    // The line is not used: its coming back is the reason.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [codes, isAnyCondition, type, connection, dispatch])
  if (codes === '') return null
  return (
    <div className="module-joined" role="status">
      <strong>{t('joined.title')}</strong>
      <p>{t('joined.rule')}</p>
      {joinedContracts === null && <p className="field-help">{t('joined.asking')}</p>}
      {joinedContracts === 'unknown' && <p className="field-help">{t('joined.unknown')}</p>}
      {joinedContracts !== null && joinedContracts !== 'unknown' && (
        <>
          <p>
            {joinedContracts.count === 0 ? t('joined.none') : t('joined.counted', { count: joinedContracts.count })}
          </p>
          {joinedContracts.data.length > 0 && (
            <ul>
              {joinedContracts.data.map((contract) => (
                <li key={contract.code}>
                  {contract.company_name} · <code>{contract.service_code}</code> · {contract.code}
                </li>
              ))}
            </ul>
          )}
          {joinedContracts.count > joinedContracts.data.length && (
            <p className="field-help">
              {t('joined.more', { count: joinedContracts.count - joinedContracts.data.length })}
            </p>
          )}
        </>
      )}
    </div>
  )
}
