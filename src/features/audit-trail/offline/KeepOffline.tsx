import '#features/audit-trail/offline/words.ts'
import { useState } from 'react'
import { type KeptState, readKeptState } from '#local/audit-trail/kept-state.ts'
import { useConnection } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { KeepOfflineDialog } from '#features/audit-trail/offline/KeepOfflineDialog.tsx'
import { useFill } from '#features/audit-trail/offline/useFill.ts'
import { isWhole } from '#features/audit-trail/offline/is-whole.ts'

/** The button that says whether anything of this company's trail is kept here, and opens the dialog about it. */
export function KeepOffline({ companyId }: { companyId: number }) {
  const { t } = useTranslation('auditKept')
  const [open, setOpen] = useState(false)
  const state = useLiveQuery(() => readKeptState(companyId), [companyId])
  const filling = useFill(companyId)
  const isOnline = useConnection().line === 'online'
  return (
    <>
      <Button icon={state?.alarm ? 'alert' : 'device'} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {state?.alarm ? t('proof.alarm') : labelOf(t, state ?? null, filling.busy && isOnline)}
      </Button>
      {open && state && (
        <KeepOfflineDialog companyId={companyId} state={state} filling={filling} onClose={() => setOpen(false)} />
      )}
    </>
  )
}

type Translate = ReturnType<typeof useTranslation<'auditKept'>>['t']

/** `isBusy`: more of it is on its way, which nothing is without a connection. */
function labelOf(t: Translate, state: KeptState | null, isBusy: boolean): string {
  const kept = state?.kept
  if (!kept) return t('keep.open')
  if (isWhole(kept, state.alarm)) return t('keep.opened')
  return t(isBusy ? 'keep.filling' : 'keep.partly', {
    percent: Math.floor(((kept.next - kept.from) / (kept.to - kept.from)) * 100),
  })
}
