import { isShared, setShared } from '#local/session/shared-device.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { CheckField } from '#ui/form/choice-fields.tsx'
import { useTranslation } from 'react-i18next'

/** Whether several people use this device: then nothing that is cached outlives a session (decision 83). */
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
