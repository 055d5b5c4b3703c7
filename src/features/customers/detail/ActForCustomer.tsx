import { useTranslation } from 'react-i18next'
import { getConsent, startActing } from '#contract/staff/acting-calls.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { countWaiting } from '#local/outbox/read-entries.ts'
import { useIsPast } from '#patterns/useIsPast.ts'
import { useReadOnReturn } from '#state/live-changes.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useRecord } from '#state/use-record.ts'
import { Button } from '#ui/display/Button.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { TitledCard } from '#ui/page/TitledCard.tsx'
import type { CustomerDetailsRow } from '#features/customers/detail/CustomerDetails.tsx'

/** Starts acting for the customer, or says how the customer's admin allows it (decision 111). */
export function ActForCustomer({ customer }: { customer: CustomerDetailsRow }) {
  const { t } = useTranslation('customers')
  const params = { companyId: customer.id }
  const { record, problem: loadProblem, refetch } = useRecord(getConsent, { params })
  const { run, isBusy, problem } = useAction(startActing)
  // While the user acts, the own changes are neither sent nor shown.
  const waitingCount = useLiveQuery(() => countWaiting(), []) ?? 0
  const waitingReason = waitingCount > 0 ? t('acting.waiting') : null
  const disabledReason = useUnsendableReason(t('acting.offline'), waitingReason)
  useReadOnReturn(() => void refetch())
  async function start() {
    const result = await run({ params })
    // A new page begins without anything of the user's own company in its memory.
    if (result.kind !== 'problem') location.assign('/saas/app/home')
    else await refetch()
  }
  const isOver = useIsPast(record?.consent?.until ?? null)
  const consent = isOver ? null : record?.consent
  return (
    <TitledCard title={t('acting.title')} className="customer-acting">
      {consent ? (
        <>
          <p>
            {t('acting.allowed', { name: consent.giver_name, time: consent.until.slice(0, 16) })}{' '}
            <strong>{t(consent.allows_changes ? 'acting.changes' : 'acting.readOnly')}</strong>
          </p>
          {consent.reason !== '' && (
            <p className="customer-muted">
              <bdi>{consent.reason}</bdi>
            </p>
          )}
          <p className="customer-muted">{t(consent.allows_changes ? 'acting.scopeChanges' : 'acting.scope')}</p>
          <div>
            <Button kind="primary" isBusy={isBusy} disabledReason={disabledReason} onClick={() => void start()}>
              {t('acting.start', { company: customer.name })}
            </Button>
          </div>
        </>
      ) : (
        <p className="customer-none">{t(record ? 'acting.none' : 'acting.unknown', { company: customer.name })}</p>
      )}
      <LoadProblem problem={loadProblem} onRetry={() => void refetch()} />
      <ProblemNote problem={problem} title={t('acting.notStarted')} shouldFocus />
    </TitledCard>
  )
}
