import { useState } from 'react'
import { disableTraffic } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { isProviderAdmin } from '#domain/access.ts'
import { useAction } from '#state/use-action.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import type { BackupPlan } from '#features/backups/backup-hooks.ts'
import { useOfflineReason } from '#features/backups/useOfflineReason.ts'

interface SuspendTrafficProps {
  service: ServiceRow
  plan: BackupPlan | null
  onDone: () => void
}

/** The provider's staff suspend backups that cause traffic, or allow them again. A suspension for unpaid traffic ends with the payment. */
export function SuspendTraffic({ service, plan, onDone }: SuspendTrafficProps) {
  const { t } = useTranslation('backups')
  const { caller } = useSignedInSession()
  const disabledReason = useOfflineReason()
  const [pendingAction, setPendingAction] = useState<'suspend' | 'allow' | null>(null)
  if (!isProviderAdmin(caller)) return null
  const action =
    plan?.traffic_disabled_by === 'staff' || (plan === null && service.traffic_disabled) ? 'allow' : 'suspend'
  return (
    <>
      <Button
        icon={action === 'allow' ? 'play' : 'stop'}
        disabledReason={disabledReason}
        onClick={() => setPendingAction(action)}
      >
        {t(`traffic.${action}`)}
      </Button>
      {pendingAction && (
        <SuspendDialog
          action={pendingAction}
          service={service}
          onClose={() => setPendingAction(null)}
          onDone={onDone}
        />
      )}
    </>
  )
}

interface SuspendDialogProps {
  action: 'suspend' | 'allow'
  service: ServiceRow
  onClose: () => void
  onDone: () => void
}

/** Says what happens before it does. In a suspension the button that closes has the focus. */
function SuspendDialog({ action, service: { id, code }, onClose, onDone }: SuspendDialogProps) {
  const { t } = useTranslation('backups')
  const disabledReason = useOfflineReason()
  const { isBusy, problem, run } = useAction(disableTraffic)
  const isSuspension = action === 'suspend'
  async function send() {
    const result = await run({ params: { serviceId: id }, body: { disabled: isSuspension } })
    if (result.kind === 'problem') return
    showToast({ kind: 'done', text: t(isSuspension ? 'traffic.suspended' : 'traffic.allowed', { code }) })
    onClose()
    onDone()
  }
  const confirmButton = (
    <Button
      kind={isSuspension ? 'danger' : 'primary'}
      isBusy={isBusy}
      disabledReason={disabledReason}
      onClick={() => void send()}
    >
      {t(`traffic.${action}`)}
    </Button>
  )
  return (
    <Dialog open title={t(`traffic.${action}Title`, { code })} onClose={onClose} action={confirmButton}>
      <div className="form">
        <ProblemNote problem={problem} title={t('traffic.suspendFailed')} shouldFocus />
        <p>{t(`traffic.${action}Text`)}</p>
      </div>
    </Dialog>
  )
}
