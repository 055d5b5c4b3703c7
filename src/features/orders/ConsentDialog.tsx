import type { ReactNode } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'

interface Props {
  title: string
  /** What agreeing does, on its button. */
  agreeLabel: string
  kind?: 'primary' | 'danger'
  declineLabel?: string
  onAgree: () => void
  onDecline: () => void
  children: ReactNode
}

/** Asks for a consent before something is ordered; the button that changes nothing has the focus. */
export function ConsentDialog({
  title,
  agreeLabel,
  kind = 'primary',
  declineLabel,
  onAgree,
  onDecline,
  children,
}: Props) {
  const agreeButton = (
    <Button kind={kind} onClick={onAgree}>
      {agreeLabel}
    </Button>
  )
  return (
    <Dialog open title={title} onClose={onDecline} action={agreeButton} cancel={declineLabel} shouldFocusCancel>
      <div className="form">{children}</div>
    </Dialog>
  )
}
