import { useState } from 'react'
import { formatDone, withDoneToast } from '#patterns/action-toast.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { RefusalNote } from '#features/prices/faults/RefusalNote.tsx'
import type { OpenedPriceList } from '#features/prices/price-list-form.ts'
import type { RehearsalOutput } from '#features/prices/rehearsal/rehearsal-slice.ts'
import { confirmPriceList } from '#features/prices/slice.ts'

export interface ConfirmButtonProps {
  /** Null: it is not saved yet. */
  row: OpenedPriceList | null
  /** Of the list as it is typed; null: it was not rehearsed. */
  result: RehearsalOutput | null
  hasChanges: boolean
  /** Nothing is known on this device that refuses confirming. */
  isUsable: boolean
  today: string
  onConfirmed: () => void
}

/** Confirms a list that was saved and rehearsed, or says what is missing. */
export function ConfirmButton({ row, result, hasChanges, isUsable, today, onConfirmed }: ConfirmButtonProps) {
  const { t } = useTranslation('prices')
  const offlineReason = useOfflineReason(t('needsConnection'))
  const [isConfirming, setConfirming] = useState(false)
  const getDisabledReason = () => {
    if (hasChanges || typeof row?.row.id !== 'number') return t('confirm.unsaved')
    if (!isUsable) return t('confirm.unusable')
    return offlineReason ?? (result ? null : t('confirm.unrehearsed'))
  }
  return (
    <>
      <Button kind="primary" icon="check" disabledReason={getDisabledReason()} onClick={() => setConfirming(true)}>
        {t('act.confirm')}
      </Button>
      {isConfirming && row && result && (
        <ConfirmDialog {...{ row, result, today, onConfirmed }} onClose={() => setConfirming(false)} />
      )}
    </>
  )
}

interface ConfirmDialogProps extends Pick<ConfirmButtonProps, 'today' | 'onConfirmed'> {
  row: OpenedPriceList
  result: RehearsalOutput
  onClose: () => void
}

/** What confirming does, with what the rehearsal found; afterwards the list can only be copied or withdrawn (D81). */
function ConfirmDialog({ row, result, today, onConfirmed, onClose }: ConfirmDialogProps) {
  const { t } = useTranslation('prices')
  const { run, isBusy, problem } = withDoneToast(useAction(confirmPriceList), {
    doneText: formatDone(t('act.confirm')),
    onDone() {
      onConfirmed()
      onClose()
    },
  })
  const { effective_date: day } = row.row
  return (
    <ActionDialog
      title={t('confirm.title', { day })}
      onClose={onClose}
      actionLabel={t('act.confirm')}
      isBusy={isBusy}
      onAction={() => void run(row)}
      cancel={t('confirm.keep')}
      contentClass="price-confirm"
    >
      <RefusalNote problem={problem} refusedText={t('confirm.refused')} failureTitle={t('confirm.failed')} />
      {/* A list of a past day counts from this moment on. */}
      <p>{t(day <= today ? 'confirm.now' : 'confirm.later', { day })}</p>
      <p>{t('confirm.final')}</p>
      <p>{t('confirm.found', { count: result.contracts })}</p>
      {result.failing > 0 && <p className="price-warning">{t('rehearsal.failing', { count: result.failing })}</p>}
    </ActionDialog>
  )
}
