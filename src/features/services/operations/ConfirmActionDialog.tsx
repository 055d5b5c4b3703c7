import type { Intent } from '#contract/endpoint.ts'
import type { ServiceRow } from '#contract/services.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { useTranslation } from 'react-i18next'
import { useServiceOperation } from '#features/services/operations/useServiceOperation.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import type { ServiceOperationRequest } from '#features/services/slice.ts'

export type ConfirmedAction = 'create' | 'update' | 'reboot' | 'reset' | 'remove'

interface ConfirmActionProps {
  row: ServiceRow
  onClose: () => void
  onDone: (operation: ServiceOperationRequest, intent: Intent) => void
}

/** Explains an action before it is sent. If something is removed, the close button has the focus (C-16). */
export function ConfirmActionDialog({
  action,
  row,
  onClose,
  onDone,
}: ConfirmActionProps & { action: ConfirmedAction }) {
  const { t } = useTranslation('services')
  const actingCall = action === 'reboot' ? 'rebootService' : undefined
  const disabledReason = useUnsendableReason(t('whyNot.offline'), null, actingCall)
  const { isBusy, problem, run } = useServiceOperation({ row, onStarted: onClose, onDone })
  const operation: ServiceOperationRequest =
    action === 'create'
      ? { kind: action, contractId: row.contract_id, hasData: row.erase_date !== null }
      : { kind: action, id: row.id }
  return (
    <ActionDialog
      title={t(`ask.${action}.title`, { code: row.code })}
      kind={action === 'remove' ? 'danger' : 'primary'}
      actionLabel={t(`move.${action}`)}
      {...{ isBusy, disabledReason, problem, onClose }}
      problemTitle={t(`failed.${action}`)}
      onAction={() => void run(operation)}
    >
      <p>{t(`ask.${action}.text`)}</p>
      {disabledReason && <p className="field-help">{disabledReason}</p>}
    </ActionDialog>
  )
}

/** The user must type the code of the service to delete it (M52, D41). */
export function DeleteServiceDialog({ row, onClose, onDone }: ConfirmActionProps) {
  const { t } = useTranslation('services')
  const { isBusy, problem, run } = useServiceOperation({ row, onStarted: onClose, onDone })
  const { id, code, name, company_name: company } = row
  return (
    <TypedConfirmation
      open
      title={t('ask.delete.title', { code })}
      value={code}
      label={t('ask.delete.label')}
      actionLabel={t('move.delete')}
      {...{ isBusy, problem, onClose }}
      onConfirm={() => void run({ kind: 'delete', id })}
    >
      <p>{t('ask.delete.text', { name, company })}</p>
    </TypedConfirmation>
  )
}
