import { useState } from 'react'
import { sizeOf } from '#features/device/format-bytes.ts'
import { askToKeep } from '#local/space/persistence.ts'
import type { StorageUsage } from '#local/space/usage.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'

/** How much room there is, and whether the browser has promised not to clear it away by itself (P-18). */
export function Storage({ room: { usage, quota, persisted }, onAsked }: { room: StorageUsage; onAsked: () => void }) {
  const { t } = useTranslation('device')
  const [refused, setRefused] = useState(false)
  async function ask() {
    setRefused(!(await askToKeep()))
    onAsked()
  }
  const said = { usage: sizeOf(usage ?? 0), quota: sizeOf(quota ?? 0) }
  return (
    <section className="card" aria-labelledby="device-room">
      <h2 id="device-room">{t('room.title')}</h2>
      {usage !== null && quota !== null && quota > 0 && (
        <div className="device-usage">
          <ProgressBar
            label={t('room.used')}
            percent={Math.min(100, Math.ceil((usage / quota) * 100))}
            text={t('room.usage', said)}
          />
          <p>{t('room.usage', said)}</p>
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
