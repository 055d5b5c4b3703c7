import '#ui/icons.ts'
import { useConnection } from '#state/hooks.ts'
import { Page } from '#ui/Page.tsx'
import { WhenOnline } from '#ui/WhenOnline.tsx'
import { useWords } from '#ui/words.ts'

const load = async () => (await import('#features/accounts/components/Factors.tsx')).Factors

/** How one signs in, beside the password: all of it needs the server. */
export function Security() {
  const t = useWords('profile')
  const { line } = useConnection()
  const crumbs = [{ label: t('title'), to: '/app/profile/user' }]
  return (
    <Page title={t('security.title')} intro={t('security.lead')} crumbs={crumbs} width="narrow">
      <WhenOnline online={line === 'online'} load={load} title={t('security.offline')}>
        <p>{t('security.offlineText')}</p>
      </WhenOnline>
    </Page>
  )
}
