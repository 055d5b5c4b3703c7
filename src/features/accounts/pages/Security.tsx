import '#ui/icons/app-icons.ts'
import { AccountPage } from '#patterns/AccountPage.tsx'
import { useConnection } from '#state/use-store.ts'
import { OnlineOnly } from '#ui/page/OnlineOnly.tsx'
import { useTranslation } from 'react-i18next'

const load = async () => (await import(/* chunk: online */ '#features/accounts/components/Factors.tsx')).Factors

/** Sign-in settings other than the password. All of them need the server. */
export function Security() {
  const { t } = useTranslation('profile')
  const { networkState: connection } = useConnection()
  return (
    <AccountPage tab="security" intro={t('security.lead')}>
      <OnlineOnly isOnline={connection === 'online'} load={load} title={t('security.offline')}>
        <p>{t('security.offlineText')}</p>
      </OnlineOnly>
    </AccountPage>
  )
}
