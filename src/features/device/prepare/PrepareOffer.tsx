import '#features/device/prepare/translations.ts'
import { useNavigate } from 'react-router-dom'
import { readPreparation, setPreparation } from '#local/preparation/preparation-store.ts'
import type { DevicePreparer } from '#request/call-results.ts'
import { useConnection } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

/** Offered once on the home page of a tablet or an installed app, until it is accepted or dismissed. */
export function PrepareOffer({ preparer }: { preparer: DevicePreparer }) {
  const { t } = useTranslation('prepare')
  const navigate = useNavigate()
  const isOnline = useConnection().networkState === 'online'
  const record = useLiveQuery(() => readPreparation(), [])
  if (!record || record.isOn || record.isOfferClosed) return null
  function prepare() {
    void preparer.prepare()
    void navigate('/app/device')
  }
  return (
    <section className="card home-card" aria-labelledby="home-prepare">
      <h2 id="home-prepare">{t('offer.title')}</h2>
      <p>{t('offer.text')}</p>
      <p className="home-note">{t('offer.hint')}</p>
      <div className="problem-ways">
        <Button icon="device" kind="primary" disabledReason={isOnline ? null : t('needsConnection')} onClick={prepare}>
          {t('start')}
        </Button>
        <Button onClick={() => void setPreparation({ isOfferClosed: true })}>{t('offer.later')}</Button>
      </div>
    </section>
  )
}
