import { useEffect, useState } from 'react'
import type { Waiting } from '#local/waiting.ts'
import type { Desk } from '#request/result.ts'
import { Button } from '#ui/Button.tsx'
import { Dialog } from '#ui/Dialog.tsx'
import { showToast } from '#ui/toasts.tsx'
import { useWords } from '#ui/words.ts'

/** Says what goes along before anything goes (protocol 15). */
export function DropDialog({ entry, desk, onClose }: { entry: Waiting; desk: Desk; onClose: () => void }) {
  const t = useWords('outbox')
  const { intent, state, attempts } = entry
  const [along, setAlong] = useState(0)
  useEffect(() => void desk.dependents(intent).then(({ length }) => setAlong(length)), [desk, intent])
  const drop = async () => {
    onClose()
    const how = await desk.drop(intent)
    showToast({ kind: 'note', text: t(how === 'unknown' ? 'toast.failed' : `toast.${how}`) })
  }
  const maySend = attempts > 0 && (state === 'waiting' || state === 'sending' || state === 'sign in')
  return (
    <Dialog
      open
      title={t('drop.title')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('drop.keep')}</Button>
          <Button kind="danger" icon="remove" onClick={() => void drop()}>
            {t('act.drop')}
          </Button>
        </>
      }
    >
      <p>{t('drop.text')}</p>
      {maySend && <p>{t('drop.sent')}</p>}
      {along > 0 && <p>{t('drop.along', { count: along })}</p>}
    </Dialog>
  )
}
