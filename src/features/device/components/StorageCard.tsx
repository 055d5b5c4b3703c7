import { useState } from 'react'
import { formatBytes } from '#features/device/format-bytes.ts'
import { repeatPersistenceRequest } from '#local/space/persistence.ts'
import type { StorageUsage } from '#local/space/usage.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'

/** Shows how much space there is, and whether the browser has promised not to delete stored data by itself (P-18). */
export function StorageCard({
  storage: { usage, quota, persisted },
  onAnswered,
}: {
  storage: StorageUsage
  onAnswered: () => void
}) {
  const { t } = useTranslation('device')
  const [isRefused, setIsRefused] = useState(false)
  async function requestPersistence() {
    setIsRefused(!(await repeatPersistenceRequest()))
    onAnswered()
  }
  return (
    <section className="card" aria-labelledby="device-room">
      <h2 id="device-room">{t('room.title')}</h2>
      {usage !== null && quota !== null && quota > 0 && <UsedSpace usage={usage} quota={quota} />}
      <p className={`device-promise ${persisted ? 'kept' : ''}`}>
        <Icon name={persisted ? 'check' : 'info'} />
        {t(`room.${persisted === null ? 'unknown' : persisted ? 'kept' : 'loose'}`)}
      </p>
      {persisted === false && (
        <div className="device-ask">
          <Button icon="lock" onClick={() => void requestPersistence()}>
            {t('room.ask')}
          </Button>
          <p role="status">{isRefused ? t('room.refused') : ''}</p>
        </div>
      )}
    </section>
  )
}

function UsedSpace({ usage, quota }: { usage: number; quota: number }) {
  const { t } = useTranslation('device')
  const text = t('room.usage', { usage: formatBytes(usage), quota: formatBytes(quota) })
  return (
    <div className="device-usage">
      <ProgressBar label={t('room.used')} percent={Math.min(100, Math.ceil((usage / quota) * 100))} text={text} />
      <p>{text}</p>
    </div>
  )
}
