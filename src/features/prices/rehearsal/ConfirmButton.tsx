import { useRef } from 'react'
import { flushSync } from 'react-dom'
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
import { rehearsalHeadingId } from '#features/prices/sections/heading-ids.ts'
import { confirmPriceList } from '#features/prices/slice.ts'

interface ConfirmButtonProps {
  /** Null if the list is not saved yet. */
  row: OpenedPriceList | null
  hasChanges: boolean
  /** Whether this device knows no reason against confirming. */
  isUsable: boolean
  isRehearsing: boolean
  onConfirm: () => void
}

/** Returns why the list cannot be confirmed now. Without a trial run, the button offers one. */
function useConfirmBlockedReason(props: Omit<ConfirmButtonProps, 'onConfirm'>): string | null {
  const { row, hasChanges, isUsable, isRehearsing } = props
  const { t } = useTranslation('prices')
  const offlineReason = useOfflineReason(t('needsConnection'))
  if (hasChanges || typeof row?.row.id !== 'number') return t('confirm.unsaved')
  if (!isUsable) return t('confirm.unusable')
  return offlineReason ?? (isRehearsing ? t('confirm.rehearsing') : null)
}

/** The button of the bar, with the reason next to it if it is disabled. */
export function ConfirmButton({ onConfirm, ...props }: ConfirmButtonProps) {
  const { t } = useTranslation('prices')
  const reason = useConfirmBlockedReason(props)
  return (
    <>
      {/* The hint of the button has the same text for screen readers. */}
      {reason && (
        <span className="price-confirm-reason" aria-hidden="true">
          {reason}
        </span>
      )}
      <Button disabledReason={reason} onClick={onConfirm}>
        {t('act.confirmShort')}
      </Button>
    </>
  )
}

interface ConfirmDialogsProps {
  row: OpenedPriceList | null
  /** The trial run of the list as typed. Its result is null without a trial run. */
  rehearsal: { result: RehearsalOutput | null; start: () => void }
  today: string
  isConfirming: boolean
  setConfirming: (isConfirming: boolean) => void
  onConfirmed: () => void
}

/** Asks for a trial run first, and then for the confirmation. */
export function ConfirmDialogs({ row, rehearsal, isConfirming, setConfirming, ...props }: ConfirmDialogsProps) {
  const { t } = useTranslation('prices')
  const confirmOnce = useConfirmOnce()
  if (!isConfirming || !row) return null
  const { result, start } = rehearsal
  const onClose = () => setConfirming(false)
  if (result) return <ConfirmDialog {...{ row, result, confirmOnce, onClose }} {...props} />
  return (
    <ActionDialog
      title={t('confirm.unrehearsed')}
      onClose={onClose}
      actionLabel={t('rehearsal.act')}
      onAction={() => {
        // Without the dialog, the focus can move to the trial run.
        flushSync(onClose)
        document.getElementById(rehearsalHeadingId)?.focus()
        start()
      }}
      cancel={t('confirm.keep')}
    >
      <p>{t('confirm.unrehearsedText')}</p>
    </ActionDialog>
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

interface ConfirmDialogProps extends Pick<ConfirmDialogsProps, 'today' | 'onConfirmed'> {
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
