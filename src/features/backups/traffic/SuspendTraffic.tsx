import { useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { isProviderAdmin } from '#domain/access.ts'
import { useDispatch, useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { setTraffic } from '#features/backups/slice.ts'
import type { Plan } from '#features/backups/useBackups.ts'
import { useWhyOffline } from '#features/backups/useWhyOffline.ts'

interface Props {
  service: ServiceRow
  plan: Plan | null
  onDone: () => void
}

/** The provider's staff suspend what causes traffic, or lift that; what suspended itself ends with its payment. */
export function SuspendTraffic({ service, plan, onDone }: Props) {
  const { t } = useTranslation('backups')
  const { caller } = useSignedIn()
  const whyNot = useWhyOffline()
  const [asking, setAsking] = useState<'suspend' | 'allow' | null>(null)
  if (!isProviderAdmin(caller)) return null
  const act = plan?.traffic_disabled_by === 'staff' || (plan === null && service.traffic_disabled) ? 'allow' : 'suspend'
  return (
    <>
      <Button icon={act === 'allow' ? 'play' : 'stop'} whyNot={whyNot} onClick={() => setAsking(act)}>
        {t(`traffic.${act}`)}
      </Button>
      {asking && <Asked act={asking} service={service} onClose={() => setAsking(null)} onDone={onDone} />}
    </>
  )
}

interface AskedProps {
  act: 'suspend' | 'allow'
  service: ServiceRow
  onClose: () => void
  onDone: () => void
}

/** Says what follows of it; in a suspension the safe way out has the focus. */
function Asked({ act, service: { id, code }, onClose, onDone }: AskedProps) {
  const { t } = useTranslation('backups')
  const dispatch = useDispatch()
  const whyNot = useWhyOffline()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const isLoss = act === 'suspend'
  async function send() {
    setBusy(true)
    const result = await dispatch(setTraffic(id, isLoss))
    setBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
    showToast({ kind: 'done', text: t(isLoss ? 'traffic.suspended' : 'traffic.allowed', { code }) })
    onClose()
    onDone()
  }
  const button = (
    <Button kind={isLoss ? 'danger' : 'primary'} busy={busy} whyNot={whyNot} onClick={() => void send()}>
      {t(`traffic.${act}`)}
    </Button>
  )
  return (
    <Dialog open title={t(`traffic.${act}Title`, { code })} onClose={onClose} act={button}>
      <div className="form">
        <ProblemNote problem={problem} title={t('traffic.suspendFailed')} focus />
        <p>{t(`traffic.${act}Text`)}</p>
      </div>
    </Dialog>
  )
}
