import { useState } from 'react'
import { askToKeep, type Room } from '#local/room.ts'
import { Button } from '#ui/Button.tsx'
import { Icon } from '#ui/Icon.tsx'
import { ProgressBar } from '#ui/ProgressBar.tsx'
import { useWords } from '#ui/words.ts'
import { sizeOf } from '#features/device/sizes.ts'

/** How much room there is, and whether the browser has promised not to clear it away by itself (P-18). */
export function Storage({ room: { usage, quota, persisted }, onAsked }: { room: Room; onAsked: () => void }) {
  const t = useWords('device')
  const [refused, setRefused] = useState(false)
  async function ask() {
    setRefused(!(await askToKeep()))
    onAsked()
  }
  return (
    <section className="card" aria-labelledby="device-room">
      <h2 id="device-room">{t('room.title')}</h2>
      {usage !== null && quota !== null && quota > 0 && (
        <div className="device-usage">
          <ProgressBar label={t('room.used')} percent={Math.min(100, Math.ceil((usage / quota) * 100))} />
          <p>{t('room.usage', { usage: sizeOf(usage), quota: sizeOf(quota) })}</p>
        </div>
      )}
      {persisted === null ? (
        <p className="device-promise">
          <Icon name="info" />
          {t('room.unknown')}
        </p>
      ) : (
        <p className={`device-promise ${persisted ? 'kept' : ''}`}>
          <Icon name={persisted ? 'check' : 'info'} />
          {t(persisted ? 'room.kept' : 'room.loose')}
        </p>
      )}
      {persisted === false && (
        <div className="device-ask">
          <Button icon="lock" onClick={() => void ask()}>
            {t('room.ask')}
          </Button>
          <p role="status">{refused ? t('room.refused') : ''}</p>
        </div>
      )}
    </section>
  )
}
