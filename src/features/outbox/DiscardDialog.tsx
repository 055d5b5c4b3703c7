import { useEffect, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import { isUnsent } from '#local/outbox/entry-actions.ts'
import type { OutboxActions } from '#request/call-results.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { type OutboxItem, readItems } from '#features/outbox/read-items.ts'
import { useEntryMessages } from '#features/outbox/entry-messages.ts'
import { useOutboxToasts } from '#features/outbox/useOutboxToasts.ts'

/** Before an entry is discarded, lists everything that is discarded with it (protocol 15). */
export function DiscardDialog({
  item: { entry, name },
  actions,
  onClose,
}: {
  item: OutboxItem
  actions: OutboxActions
  onClose: () => void
}) {
  const { t } = useTranslation('outbox')
  const { describeWrite } = useEntryMessages()
  const { showDropOutcome } = useOutboxToasts()
  const { intent } = entry
  const dependents = useDependents(actions, intent)
  const discard = async () => {
    onClose()
    showDropOutcome(await actions.drop(intent))
  }
  // No button is shown before the dependent entries are known.
  if (!dependents) return null
  return (
    <Dialog
      open
      title={t('drop.title')}
      onClose={onClose}
      action={
        <Button kind="danger" icon="remove" onClick={() => void discard()}>
          {dependents.length > 0 ? t('drop.all', { number: dependents.length + 1 }) : t('act.drop')}
        </Button>
      }
      cancel={t('drop.keep')}
    >
      <div className="write-dialog">
        <p>{t(`drop.${getEffect(entry)}`, { write: describeWrite(entry, name) })}</p>
        {dependents.length > 0 && (
          <>
            <p>{t('drop.along')}</p>
            <ul className="write-along">
              {dependents.map((other) => (
                <li key={other.entry.intent}>{describeWrite(other.entry, other.name)}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  )
}

/** Only a write that was never sent certainly has no effect. The server has to cancel any other (protocol 15). */
function getEffect(entry: OutboxItem['entry']) {
  if (!isUnsent(entry)) return 'sent'
  return entry.action === 'create' ? 'textCreate' : 'text'
}

function useDependents(actions: OutboxActions, intent: Intent): OutboxItem[] | null {
  const [dependents, setDependents] = useState<OutboxItem[] | null>(null)
  useEffect(() => void actions.findDependents(intent).then(readItems).then(setDependents), [actions, intent])
  return dependents
}
