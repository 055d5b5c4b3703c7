import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useAction } from '#state/use-action.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { removePriceList } from '#features/prices/slice.ts'

interface Props {
  overlaidRow: OverlaidRow<PriceRow>
  onClose: () => void
  onDone: () => void
}

/** Deletes an unconfirmed list, or withdraws a confirmed one: its day and a code are typed (M52, D81). */
export function RemoveDialog({ overlaidRow, onClose, onDone }: Props) {
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const { run, isBusy, problem } = useAction(removePriceList)
  const { confirmed, desc, effective_date: day } = overlaidRow.row
  const action = confirmed ? 'withdraw' : 'remove'

  async function remove() {
    const result = await run(overlaidRow)
    if (result.kind === 'problem') return
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else showToast({ kind: 'done', text: tUi('message.done', { action: t(`act.${action}`) }) })
    onDone()
  }
  return (
    <TypedConfirmation
      open
      title={confirmed ? t('withdraw.title', { day }) : t('remove.title', { day })}
      value={day}
      label={t('field.effective_date')}
      actionLabel={t(`act.${action}`)}
      isBusy={isBusy}
      problem={problem}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{confirmed ? t('withdraw.text', { desc }) : t('remove.text', { desc })}</p>
    </TypedConfirmation>
  )
}
