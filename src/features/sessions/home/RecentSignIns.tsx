import '#features/sessions/translations.ts'
import { Link } from 'react-router-dom'
import { listSessions } from '#contract/sessions.ts'
import { useOnlineResponse } from '#state/use-online-response.ts'
import { useConnection } from '#state/use-store.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { useDeviceNames } from '#features/sessions/use-device-names.ts'

const maxRows = 3

/** Shows where the user is logged in, this device first. Only the server knows this. */
export function RecentSignIns() {
  const { t } = useTranslation('sessions')
  const formatDeviceName = useDeviceNames()
  const isOnline = useConnection().networkState === 'online'
  const { response: rows } = useOnlineResponse(listSessions, {}, !isOnline)
  if (!rows || rows.length === 0) return null
  return (
    <>
      <h3>{t('home.title')}</h3>
      <ul className="home-list">
        {rows.slice(0, maxRows).map((row) => (
          <li className="home-item" key={row.id}>
            <Icon name={row.form === 'mobile' || row.form === 'tablet' ? 'device' : 'system'} />
            <span className="home-words">
              <span>{formatDeviceName(row)}</span>
              <span>
                {row.current ? t('current') : t('used', { time: row.last_time })} ·{' '}
                {t('from', { network: row.network })}
              </span>
            </span>
          </li>
        ))}
      </ul>
      <Link className="home-all" to="/app/profile/sessions">
        {t('home.all')}
      </Link>
    </>
  )
}
