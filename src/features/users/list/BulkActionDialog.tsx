import { type UserAction, reverseActions } from '#domain/accounts/users.ts'
import { Button } from '#ui/display/Button.tsx'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { BulkDialog, OfflineNote } from '#features/users/list/BulkDialog.tsx'
import { ExcludedUsers } from '#features/users/list/ExcludedUsers.tsx'
import {
  type BulkActionPlan,
  planBulkAction,
  runBulkAction,
  toSelectedUser,
} from '#features/users/list/run-bulk-action.ts'
import { type BulkRunOptions, useBulkRun } from '#features/users/list/useBulkRun.ts'

interface BulkActionDialogProps extends BulkRunOptions {
  action: UserAction
}

/** Shows which users are included and why others are not, then the result for each user (C-16). */
export function BulkActionDialog({ action, ...options }: BulkActionDialogProps) {
  const { t } = useTranslation('people')
  const bulkRun = useBulkRun(options)
  const { selection, results, isBusy, run } = bulkRun
  const { onClose } = options
  if (!selection) return null
  const users = selection.users.map(({ row }) => toSelectedUser(row))
  const plan = planBulkAction(action, users, selection.context)
  const count = plan.includedUsers.length
  const countParams = { count, number: formatNumber(count) }
  const reverseAction = reverseActions[action]
  const runPlan = () =>
    void run((onProgress) => runBulkAction(action, plan.includedUsers, onProgress), {
      formatDone: (numbers) => t(`many.became.${action}`, numbers),
      buildUndo: reverseAction
        ? () => (onProgress) => runBulkAction(reverseAction, plan.includedUsers, onProgress)
        : null,
    })
  const summary = <BulkActionSummary action={action} plan={plan} />
  // While the writes are being sent, and for refusals, the dialog with the progress and the results replaces the confirmation.
  if (action === 'remove' && count > 0 && !results && !isBusy)
    return (
      <TypedConfirmation
        open
        title={t('many.ask.remove', countParams)}
        value={String(count)}
        label={t('many.count')}
        actionLabel={t('many.do.remove', countParams)}
        isBusy={false}
        problem={null}
        onConfirm={runPlan}
        onClose={onClose}
      >
        {summary}
      </TypedConfirmation>
    )
  const runButton = count > 0 && (
    <Button kind="primary" onClick={runPlan}>
      {t(`many.do.${action}`, countParams)}
    </Button>
  )
  return (
    <BulkDialog
      run={bulkRun}
      title={count > 0 ? t(`many.ask.${action}`, countParams) : t('many.nobody')}
      count={count}
      action={runButton}
      shouldFocusCancel
      onClose={onClose}
    >
      {summary}
    </BulkDialog>
  )
}

function BulkActionSummary({ action, plan }: { action: UserAction; plan: BulkActionPlan }) {
  const { t } = useTranslation('people')
  const excludedUsers = plan.excludedUsers.map(({ user, reason }) => ({
    user,
    reason: reason === 'USER_STATUS_INVALID' ? action : reason,
  }))
  return (
    <>
      {plan.includedUsers.length > 0 && (
        <>
          <p>{t(`many.means.${action}`)}</p>
          <OfflineNote />
          <ul className="many-list" aria-label={t('many.go')}>
            {plan.includedUsers.map(({ id, name, email }) => (
              <li key={id}>
                {name} <span className="field-help">{email}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <ExcludedUsers excludedUsers={excludedUsers} />
    </>
  )
}
