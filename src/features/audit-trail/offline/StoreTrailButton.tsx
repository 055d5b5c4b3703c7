import '#features/audit-trail/offline/translations.ts'
import { type ReactNode, useState } from 'react'
import { type StoredTrailState, readStoredTrailState } from '#local/audit-trail/stored-trail-state.ts'
import { useConnection } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { StoreTrailDialog } from '#features/audit-trail/offline/StoreTrailDialog.tsx'
import { useTrailFill } from '#features/audit-trail/offline/useTrailFill.ts'
import { isTrailComplete } from '#features/audit-trail/offline/is-trail-complete.ts'

export interface StoreTrailOpener {
  label: string
  icon: 'alert' | 'device'
  onOpen: () => void
}

interface StoreTrailButtonProps {
  companyId: number
  /** Replaces the button, for example by an item of a menu. */
  renderOpener?: (opener: StoreTrailOpener) => ReactNode
}

export function StoreTrailButton({ companyId, renderOpener }: StoreTrailButtonProps) {
  const { t } = useTranslation('storedTrail')
  const [isOpen, setIsOpen] = useState(false)
  const state = useLiveQuery(() => readStoredTrailState(companyId), [companyId])
  const trailFill = useTrailFill(companyId)
  const isOnline = useConnection().networkState === 'online'
  const opener: StoreTrailOpener = {
    label: state?.alarm ? t('proof.alarm') : toButtonLabel(t, state ?? null, trailFill.isBusy && isOnline),
    icon: state?.alarm ? 'alert' : 'device',
    onOpen: () => setIsOpen(true),
  }
  return (
    <>
      {renderOpener?.(opener) ?? (
        <Button icon={opener.icon} aria-haspopup="dialog" onClick={opener.onOpen}>
          {opener.label}
        </Button>
      )}
      {isOpen && state && (
        <StoreTrailDialog companyId={companyId} state={state} trailFill={trailFill} onClose={() => setIsOpen(false)} />
      )}
    </>
  )
}

type Translate = ReturnType<typeof useTranslation<'storedTrail'>>['t']

/** `isBusy`: further entries are being loaded. Never true without a connection. */
function toButtonLabel(t: Translate, state: StoredTrailState | null, isBusy: boolean): string {
  const storedTrail = state?.storedTrail
  if (!storedTrail) return t('keep.open')
  if (isTrailComplete(storedTrail, state.alarm)) return t('keep.opened')
  return t(isBusy ? 'keep.filling' : 'keep.partly', {
    percent: Math.floor(((storedTrail.next - storedTrail.from) / (storedTrail.to - storedTrail.from)) * 100),
  })
}
