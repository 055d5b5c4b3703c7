import { useRef } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import { formatDone, withDoneToast } from '#patterns/action-toast.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import type { CallResult } from '#request/call-results.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import type { AppThunk } from '#state/app-thunk.ts'
import { isOutcomeUnknown, useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { RefusalNote } from '#features/prices/faults/RefusalNote.tsx'
import type { OpenedPriceList } from '#features/prices/price-list-form.ts'
import type { RehearsalOutput } from '#features/prices/rehearsal/rehearsal-slice.ts'
import { confirmPriceList } from '#features/prices/slice.ts'

export interface ConfirmButtonProps {
  /** Null if the list is not saved yet. */
  row: OpenedPriceList | null
  /** Rehearsal result of the list as typed. Null if it was not rehearsed. */
  result: RehearsalOutput | null
  hasChanges: boolean
  /** Whether this device knows no reason against confirming. */
  isUsable: boolean
  today: string
  onConfirmed: () => void
  isConfirming: boolean
  setConfirming: (isConfirming: boolean) => void
}

/** Returns why the list cannot be confirmed now, apart from a missing trial run. */
function useConfirmBlockedReason({
  row,
  hasChanges,
  isUsable,
}: Pick<ConfirmButtonProps, 'row' | 'hasChanges' | 'isUsable'>): string | null {
  const { t } = useTranslation('prices')
  const offlineReason = useOfflineReason(t('needsConnection'))
  if (hasChanges || typeof row?.row.id !== 'number') return t('confirm.unsaved')
  return isUsable ? offlineReason : t('confirm.unusable')
}

/** The button of the bar. Before a trial run it leads to the trial run, and after it to the same dialog as the button there. */
export function ConfirmShortcut({
  result,
  setConfirming,
  ...props
}: Pick<ConfirmButtonProps, 'row' | 'result' | 'hasChanges' | 'isUsable' | 'setConfirming'>) {
  const { t } = useTranslation('prices')
  return (
    <Button
      disabledReason={useConfirmBlockedReason(props)}
      onClick={() => (result ? setConfirming(true) : document.getElementById(startRehearsalId)?.focus())}
    >
      {t('act.confirmShort')}
    </Button>
  )
}

export const startRehearsalId = 'price-start-rehearsal'

export function ConfirmButton(props: ConfirmButtonProps) {
  const { row, result, today, onConfirmed, isConfirming, setConfirming } = props
  const { t } = useTranslation('prices')
  const confirmOnce = useConfirmOnce()
  const disabledReason = useConfirmBlockedReason(props) ?? (result ? null : t('confirm.unrehearsed'))
  return (
    <>
      <Button kind="primary" icon="check" disabledReason={disabledReason} onClick={() => setConfirming(true)}>
        {t('act.confirm')}
      </Button>
      {isConfirming && row && result && (
        <ConfirmDialog {...{ row, result, today, confirmOnce, onConfirmed }} onClose={() => setConfirming(false)} />
      )}
    </>
  )
}

type ConfirmCall = (row: OpenedPriceList) => AppThunk<CallResult<unknown>>

/**
 * Confirms a price list. If a response is lost, the same version is confirmed again under the same intent, even after the dialog was
 * closed.
 */
function useConfirmOnce(): ConfirmCall {
  const lostCall = useRef<{ versionKey: string; intent: Intent } | null>(null)
  return (row) => async (dispatch) => {
    const versionKey = `${row.row.id} ${getBaseVersion(row)}`
    const intent = lostCall.current?.versionKey === versionKey ? lostCall.current.intent : crypto.randomUUID()
    const result = await dispatch(confirmPriceList(row, { intent }))
    const isLost = result.kind === 'problem' && isOutcomeUnknown(result.problem)
    lostCall.current = isLost ? { versionKey, intent } : null
    return result
  }
}

interface ConfirmDialogProps extends Pick<ConfirmButtonProps, 'today' | 'onConfirmed'> {
  row: OpenedPriceList
  result: RehearsalOutput
  confirmOnce: ConfirmCall
  onClose: () => void
}

/** Shows the rehearsal's result. A confirmed list can only be copied or withdrawn (D81). */
function ConfirmDialog({ row, result, today, confirmOnce, onConfirmed, onClose }: ConfirmDialogProps) {
  const { t } = useTranslation('prices')
  const { run, isBusy, problem } = withDoneToast(useAction(confirmOnce), {
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
      {/* A list with a past effective date takes effect immediately. */}
      <p>{t(day <= today ? 'confirm.now' : 'confirm.later', { day })}</p>
      <p>{t('confirm.final')}</p>
      <p>{t('confirm.found', { count: result.contracts })}</p>
      {result.failing > 0 && <p className="price-warning">{t('rehearsal.failing', { count: result.failing })}</p>}
    </ActionDialog>
  )
}
