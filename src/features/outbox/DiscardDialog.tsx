import { useEffect, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import { isUnsent } from '#local/outbox/user-actions.ts'
import type { OutboxActions } from '#request/results.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { type Item, readItems } from '#features/outbox/read-items.ts'
import { useSentences } from '#features/outbox/entry-messages.ts'

/** Says what goes along before anything goes (protocol 15). */
export function DropDialog({
  item: { entry, name },
  desk,
  onClose,
}: {
  item: Item
  desk: OutboxActions
  onClose: () => void
}) {
  const { t } = useTranslation('outbox')
  const { whatOf } = useSentences()
  const { intent } = entry
  const along = useAlong(desk, intent)
  const drop = async () => {
    onClose()
    const how = await desk.drop(intent)
    showToast({ kind: 'note', text: t(how === 'unknown' ? 'toast.failed' : `toast.${how}`) })
  }
  // Nothing is pressed before it is known what it would take along.
  if (!along) return null
  return (
    <Dialog
      open
      title={t('drop.title')}
      onClose={onClose}
      act={
        <Button kind="danger" icon="remove" onClick={() => void drop()}>
          {along.length > 0 ? t('drop.all', { number: along.length + 1 }) : t('act.drop')}
        </Button>
      }
      cancel={t('drop.keep')}
    >
      <div className="write-dialog">
        <p>{t(entry.action === 'create' ? 'drop.textCreate' : 'drop.text', { what: whatOf(entry, name) })}</p>
        {!isUnsent(entry) && <p>{t('drop.sent')}</p>}
        {along.length > 0 && (
          <>
            <p>{t('drop.along')}</p>
            <ul className="write-along">
              {along.map((other) => (
                <li key={other.entry.intent}>{whatOf(other.entry, other.name)}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  )
}

/** Null: not known yet. */
function useAlong(desk: OutboxActions, intent: Intent): Item[] | null {
  const [along, setAlong] = useState<Item[] | null>(null)
  useEffect(() => void desk.dependents(intent).then(readItems).then(setAlong), [desk, intent])
  return along
}
