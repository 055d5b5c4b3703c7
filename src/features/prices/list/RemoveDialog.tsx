import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { formatDone, withDoneToast } from '#patterns/action-toast.ts'
import { useAction } from '#state/use-action.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { useTranslation } from 'react-i18next'
import { removePriceList } from '#features/prices/slice.ts'

interface Props {
  overlaidRow: OverlaidRow<PriceRow>
  onClose: () => void
  onDone: () => void
}

/** Deletes an unconfirmed list, or withdraws a confirmed one after its date and a code were typed (M52, D81). */
export function RemoveDialog({ overlaidRow, onClose, onDone }: Props) {
  const { t } = useTranslation('prices')
  const { confirmed, desc, effective_date: day } = overlaidRow.row
  const action = confirmed ? 'withdraw' : 'remove'
  const doneText = formatDone(t(`act.${action}`))
  const { run, ...removal } = withDoneToast(useAction(removePriceList), { doneText, onDone })
  return (
    <TypedConfirmation
      open
      title={confirmed ? t('withdraw.title', { day }) : t('remove.title', { day })}
      value={day}
      label={t('field.effective_date')}
      actionLabel={t(`act.${action}`)}
      {...removal}
      onConfirm={() => void run(overlaidRow)}
      onClose={onClose}
    >
      <p>{confirmed ? t('withdraw.text', { desc }) : t('remove.text', { desc })}</p>
    </TypedConfirmation>
  )
}
