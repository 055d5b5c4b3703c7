import type { ComponentType } from 'react'
import { isUnsent } from '#local/outbox/entry-actions.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { WaitingState } from '#local/storage/records.ts'
import type { ConflictComparison, OutboxActions } from '#request/call-results.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { isRowAction } from '#features/outbox/entry-messages.ts'
import { useDeviceAction } from '#features/outbox/useDeviceAction.ts'
import { useOutboxToasts } from '#features/outbox/useOutboxToasts.ts'

export type OutboxEntryDialog =
  | { kind: 'edit' }
  | { kind: 'drop' }
  | { kind: 'compare'; comparison: ConflictComparison }

interface EntryActionsProps {
  entry: EntryView
  title: string
  actions: OutboxActions
  onOpen: (dialog: OutboxEntryDialog) => void
}

/** Shows the buttons of an entry. The most likely one comes first and has the primary style. */
export function EntryActions({ title, ...props }: EntryActionsProps) {
  const { t } = useTranslation('outbox')
  const { isBusy, run } = useDeviceAction()
  const { entry, onOpen } = props
  if (entry.state === 'dropping') return null
  const StateButtons = buttonsByState[entry.state]
  return (
    // biome-ignore lint: the buttons belong together and to this write
    <div className="write-acts" role="group" aria-label={title}>
      {StateButtons && <StateButtons {...props} isBusy={isBusy} onRun={(action) => void run(action)} />}
      <Button icon="remove" aria-haspopup="dialog" onClick={() => onOpen({ kind: 'drop' })}>
        {t('act.drop')}
      </Button>
    </div>
  )
}

interface StateButtonsProps extends Omit<EntryActionsProps, 'title'> {
  isBusy: boolean
  onRun: (action: () => Promise<void>) => void
}

function ResendButtons({ entry, actions, isBusy, onRun, onOpen }: StateButtonsProps) {
  const { t } = useTranslation('outbox')
  const { showFailure, showWaitReason, saveExport } = useOutboxToasts()
  const { intent } = entry
  const isRefused = entry.state === 'refused'
  const canEdit = !isRowAction(entry)
  const retry = async () => {
    if (await actions.retry(intent)) showWaitReason(await actions.getWaitReason(intent))
    else showFailure()
  }
  return (
    <>
      {canEdit && <EditButton entry={entry} onOpen={onOpen} />}
      <Button
        kind={isRefused && !canEdit ? 'primary' : 'quiet'}
        icon="refresh"
        isBusy={isBusy}
        onClick={() => onRun(retry)}
      >
        {t('act.retry')}
      </Button>
      {isRefused && entry.problem?.code === 'BLOCKED_BY_PROXY' && (
        <Button
          kind="quiet"
          icon="install"
          onClick={() => void actions.exportOne(intent).then((text) => saveExport(text, 'waiting-change'))}
        >
          {t('act.export')}
        </Button>
      )}
    </>
  )
}

/** Returns true if a waiting write has the button "Edit", but may have been executed: the server ignores other values of its intent. */
export const isEditTooLate = (entry: EntryView) => entry.state === 'waiting' && !isRowAction(entry) && !isUnsent(entry)

function EditButton({ entry, onOpen }: Pick<StateButtonsProps, 'entry' | 'onOpen'>) {
  const { t } = useTranslation('outbox')
  const isRefused = entry.state === 'refused'
  return (
    <Button
      kind={isRefused ? 'primary' : 'quiet'}
      icon="edit"
      aria-haspopup="dialog"
      disabledReason={isEditTooLate(entry) && t('mend.sent')}
      onClick={() => onOpen({ kind: 'edit' })}
    >
      {t(isRefused ? 'act.mend' : 'act.edit')}
    </Button>
  )
}

function ConfirmButton({ entry: { intent, problem }, actions }: StateButtonsProps) {
  const { t } = useTranslation('outbox')
  const { showFailure } = useOutboxToasts()
  const confirm = async () => {
    if (!(await actions.confirm(intent))) showFailure()
  }
  return (
    <Button kind="primary" icon="check" onClick={() => void confirm()}>
      {t(problem?.code === 'TOO_OLD' ? 'act.sendOld' : 'act.confirm')}
    </Button>
  )
}

/** Button that opens the comparison. The author of the other change is read from the server, which may take a moment. */
function CompareButton({ entry: { intent }, actions, isBusy, onRun, onOpen }: StateButtonsProps) {
  const { t } = useTranslation('outbox')
  const { showFailure } = useOutboxToasts()
  const compare = async () => {
    const comparison = await actions.compare(intent)
    if (comparison) onOpen({ kind: 'compare', comparison })
    else showFailure()
  }
  return (
    <Button kind="primary" isBusy={isBusy} aria-haspopup="dialog" onClick={() => onRun(compare)}>
      {t('act.compare')}
    </Button>
  )
}

const buttonsByState: Partial<Record<WaitingState, ComponentType<StateButtonsProps>>> = {
  refused: ResendButtons,
  waiting: ResendButtons,
  asks: ConfirmButton,
  conflict: CompareButton,
}
