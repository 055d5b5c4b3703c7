import '#ui/icons/app-icons.ts'
import { AccountPage } from '#patterns/AccountPage.tsx'
import { useConnection } from '#state/use-store.ts'
import { OnlineOnly } from '#ui/page/OnlineOnly.tsx'
import { useTranslation } from 'react-i18next'

const load = async () => (await import(/* chunk: online */ '#features/sessions/components/SessionList.tsx')).SessionList

/** Shows where the user is logged in (S-46). Only the server knows this. */
export function Sessions() {
  const { t } = useTranslation('profile')
  const { networkState: connection } = useConnection()
  return (
    <AccountPage tab="sessions" intro={t('sessions.lead')}>
      <OnlineOnly isOnline={connection === 'online'} load={load} title={t('sessions.offline')}>
        <p>{t('sessions.offlineText')}</p>
      </OnlineOnly>
    </AccountPage>
  )
}
