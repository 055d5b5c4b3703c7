import '#ui/icons.ts'
import { useConnection } from '#state/hooks.ts'
import { Page } from '#ui/Page.tsx'
import { WhenOnline } from '#ui/WhenOnline.tsx'
import { useWords } from '#ui/words.ts'

const load = async () => (await import('#features/sessions/components/SessionList.tsx')).SessionList

/** Where the user is logged in (S-46): only the server knows. */
export function Sessions() {
  const t = useWords('profile')
  const { line } = useConnection()
  const crumbs = [{ label: t('title'), to: '/app/profile/user' }]
  return (
    <Page title={t('sessions.title')} intro={t('sessions.lead')} crumbs={crumbs} width="narrow">
      <WhenOnline online={line === 'online'} load={load} title={t('sessions.offline')}>
        <p>{t('sessions.offlineText')}</p>
      </WhenOnline>
    </Page>
  )
}
