import { useEffect, useState } from 'react'
import type { RowRef } from '#contract/endpoint.ts'
import type { UserAction } from '#domain/accounts/users.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { readLastAdmin } from '#features/users/read-users.ts'
import {
  runBulkAction,
  type BulkActionPlan,
  planBulkAction,
  readSelectedUsers,
} from '#features/users/list/run-bulk-action.ts'
import { BulkOutcome, ExcludedUsers, OfflineNote, useBulkRun } from '#features/users/list/BulkOutcome.tsx'

interface BulkActionDialogProps {
  action: UserAction
  ids: readonly RowRef[]
  /** Something was sent. */
  onDone: () => void
  onClose: () => void
}

/** Says before what will be done to whom and who is left out and why; afterwards what became of each (C-16). */
export function BulkActionDialog({ action, ids, onDone, onClose }: BulkActionDialogProps) {
  const { t } = useTranslation('people')
  const { user } = useSignedInSession()
  const [plan, setPlan] = useState<BulkActionPlan>()
  const [initialIds] = useState(ids)
  useEffect(() => {
    void Promise.all([readSelectedUsers(initialIds), user.admin ? null : readLastAdmin(user.company_id)]).then(
      ([users, lastAdminId]) => setPlan(planBulkAction(action, users, { selfId: user.id, lastAdminId })),
    )
  }, [action, initialIds, user])
  const { results, isBusy, run } = useBulkRun(onDone)
  const runPlan = ({ includedUsers }: BulkActionPlan) =>
    run((onProgress) => runBulkAction(action, includedUsers, onProgress))
  if (!plan) return null
  const count = plan.includedUsers.length
  const countParams = { count, number: formatNumber(count) }
  const close = () => void (isBusy || onClose())
  if (action === 'remove' && count > 0 && !results)
    return (
      <TypedConfirmation
        open
        title={t('many.ask.remove', countParams)}
        value={String(count)}
        label={t('many.count')}
        actionLabel={t('many.do.remove', countParams)}
        isBusy={isBusy}
        problem={null}
        onConfirm={() => void runPlan(plan)}
        onClose={close}
      >
        <BulkActionSummary action={action} plan={plan} />
      </TypedConfirmation>
    )
  const actionButton = isBusy ? (
    <Button isBusy>{t('many.doing', { done: formatNumber(results?.length ?? 0), all: formatNumber(count) })}</Button>
  ) : (
    !results &&
    count > 0 && (
      <Button kind="primary" onClick={() => void runPlan(plan)}>
        {t(`many.do.${action}`, countParams)}
      </Button>
    )
  )
  const title = results ? t('many.became') : count > 0 ? t(`many.ask.${action}`, countParams) : t('many.nobody')
  return (
    <Dialog
      open
      title={title}
      onClose={close}
      action={actionButton}
      cancel={isBusy ? null : undefined}
      shouldFocusCancel
    >
      <div className="form many">
        {results ? <BulkOutcome results={results} /> : <BulkActionSummary action={action} plan={plan} />}
      </div>
    </Dialog>
  )
}

function BulkActionSummary({
  action,
  plan: { includedUsers, excludedUsers },
}: {
  action: UserAction
  plan: BulkActionPlan
}) {
  const { t } = useTranslation('people')
  return (
    <>
      {includedUsers.length > 0 && <p>{t(`many.means.${action}`)}</p>}
      {includedUsers.length > 0 && <OfflineNote />}
      {includedUsers.length > 0 && (
        <ul className="many-list" aria-label={t('many.go')}>
          {includedUsers.map(({ id, name, email }) => (
            <li key={id}>
              {name} <span className="field-help">{email}</span>
            </li>
          ))}
        </ul>
      )}
      <ExcludedUsers
        excludedUsers={excludedUsers.map(({ user, reason }) => ({
          user,
          reason: reason === 'USER_STATUS_INVALID' ? action : reason,
        }))}
      />
    </>
  )
}
