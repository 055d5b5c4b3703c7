import { isShared, setShared } from '#local/session/shared-device.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { CheckField } from '#ui/form/choice-fields.tsx'
import { useTranslation } from 'react-i18next'

/** Setting for a device that several people use. If it is on, cached data is deleted when a session ends (decision 83). */
export function SharedDevice() {
  const { t } = useTranslation('device')
  const isSharedDevice = useLiveQuery(() => isShared(getThisDevice()), [])
  if (isSharedDevice === undefined) return null
  return (
    <section className="card" aria-labelledby="device-shared">
      <h2 id="device-shared">{t('shared.title')}</h2>
      <CheckField
        variant="switch"
        label={t('shared.label')}
        help={t('shared.help')}
        checked={isSharedDevice}
        onChange={({ target }) => void setShared(getThisDevice(), target.checked)}
      />
    </section>
  )
}
