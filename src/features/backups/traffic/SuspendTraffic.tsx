import { useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { isProviderAdmin } from '#domain/access.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { setTrafficDisabled } from '#features/backups/slice.ts'
import type { BackupPlan } from '#features/backups/backup-hooks.ts'
import { useOfflineReason } from '#features/backups/useOfflineReason.ts'

interface SuspendTrafficProps {
  service: ServiceRow
  plan: BackupPlan | null
  onDone: () => void
}

/** The provider's staff suspend what causes traffic, or lift that; what suspended itself ends with its payment. */
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

/** Says what follows of it; in a suspension the safe way out has the focus. */
function SuspendDialog({ action, service: { id, code }, onClose, onDone }: SuspendDialogProps) {
  const { t } = useTranslation('backups')
  const dispatch = useDispatch()
  const disabledReason = useOfflineReason()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const isSuspension = action === 'suspend'
  async function send() {
    setIsBusy(true)
    const result = await dispatch(setTrafficDisabled(id, isSuspension))
    setIsBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
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
