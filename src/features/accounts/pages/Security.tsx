import '#ui/icons/app-icons.ts'
import { useConnection } from '#state/use-store.ts'
import { Page } from '#ui/page/Page.tsx'
import { OnlineOnly } from '#ui/page/OnlineOnly.tsx'
import { useTranslation } from 'react-i18next'

const load = async () => (await import(/* chunk: online */ '#features/accounts/components/Factors.tsx')).Factors

/** Sign-in settings other than the password. All of them need the server. */
export function Security() {
  const { t } = useTranslation('profile')
  const { networkState: connection } = useConnection()
  const crumbs = [{ label: t('title'), to: '/app/profile/user' }]
  return (
    <Page title={t('security.title')} intro={t('security.lead')} crumbs={crumbs} width="narrow">
      <OnlineOnly isOnline={connection === 'online'} load={load} title={t('security.offline')}>
        <p>{t('security.offlineText')}</p>
      </OnlineOnly>
    </Page>
  )
}
