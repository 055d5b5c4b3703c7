import { isShared, setShared } from '#local/session/shared-device.ts'
import { thisDevice } from '#local/storage/device.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { CheckField } from '#ui/form/ChoiceFields.tsx'
import { useTranslation } from 'react-i18next'

/** Whether several people use this device: then nothing that is cached outlives a session (decision 83). */
export function SharedDevice() {
  const { t } = useTranslation('device')
  const shared = useLiveQuery(() => isShared(thisDevice()), [])
  if (shared === undefined) return null
  return (
    <section className="card" aria-labelledby="device-shared">
      <h2 id="device-shared">{t('shared.title')}</h2>
      <CheckField
        look="switch"
        label={t('shared.label')}
        help={t('shared.help')}
        checked={shared}
        onChange={({ target }) => void setShared(thisDevice(), target.checked)}
      />
    </section>
  )
}
