import type { OutputOf } from '#contract/endpoint.ts'
import { listJoinedContracts } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { useServerResponse } from '#state/use-server-response.ts'
import { useTranslation } from 'react-i18next'

interface JoinedContractsProps {
  type: ClientType
  conditions: readonly string[]
  isAnyCondition: boolean
}

/** Time without a change of the selection before the contracts are requested, ms. */
const requestDelayMs = 400

/**
 * Shows the contracts that an automodule with these conditions will join (D77). An existing contract is joined only at its next change or
 * extension.
 */
export function JoinedContracts({ type, conditions, isAnyCondition }: JoinedContractsProps) {
  const { t } = useTranslation('modules')
  const codes = conditions.join()
  const input = codes === '' ? null : { query: { type, conditions: codes, any: isAnyCondition } }
  const response = useServerResponse(listJoinedContracts, input, requestDelayMs)
  if (codes === '') return null
  return (
    <div className="module-joined" role="status">
      <strong>{t('joined.title')}</strong>
      <p>{t('joined.rule')}</p>
      {response?.kind === 'fresh' ? (
        <ContractList {...response.output} />
      ) : (
        <p className="field-help">{t(response ? 'joined.unknown' : 'joined.asking')}</p>
      )}
    </div>
  )
}

function ContractList({ count, data: contracts }: OutputOf<typeof listJoinedContracts>) {
  const { t } = useTranslation('modules')
  return (
    <>
      <p>{count === 0 ? t('joined.none') : t('joined.counted', { count })}</p>
      {contracts.length > 0 && (
        <ul>
          {contracts.map((contract) => (
            <li key={contract.code}>
              {contract.company_name} · <code>{contract.service_code}</code> · {contract.code}
            </li>
          ))}
        </ul>
      )}
      {count > contracts.length && (
        <p className="field-help">{t('joined.more', { count: count - contracts.length })}</p>
      )}
    </>
  )
}
