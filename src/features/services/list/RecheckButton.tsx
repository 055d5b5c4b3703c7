import { useState } from 'react'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { useWhyOffline } from '#features/services/useWhyOffline.ts'
import { recheck } from '#features/services/slice.ts'

/** The staff's tool (D53): asks now whether the services answer, and says how many do. `companyId` null: everybody's. */
export function RecheckButton({ companyId, onDone }: { companyId: number | null; onDone: () => void }) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const whyNot = useWhyOffline()
  const [busy, setBusy] = useState(false)
  async function act() {
    setBusy(true)
    const result = await dispatch(recheck(companyId))
    setBusy(false)
    if (result.kind === 'problem')
      return showToast({ kind: 'failed', text: `${t('recheck.failed')} ${problemWords(result.problem)}` })
    if (result.kind !== 'fresh') return
    const { checked, online } = result.output
    const text = t('recheck.done', { count: checked, number: number(checked), online: number(online) })
    showToast({ kind: 'done', text })
    onDone()
  }
  return (
    <Button icon="activity" busy={busy} whyNot={whyNot} onClick={() => void act()}>
      {t('recheck.act')}
    </Button>
  )
}
