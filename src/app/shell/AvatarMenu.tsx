import { useState, useSyncExternalStore } from 'react'
import { useNavigate } from 'react-router-dom'
import { places } from '#app/paths.ts'
import { install, offerNow, subscribeOffer } from '#app/install.ts'
import { initials } from '#app/shell/initials.ts'
import { useSignedIn } from '#state/hooks.ts'
import { Dialog } from '#ui/Dialog.tsx'
import { Menu, type MenuItem } from '#ui/Menu.tsx'
import { useWords } from '#ui/words.ts'

/** The user's own things: profile, this device, the service centre, the way out (M13). */
export function AvatarMenu() {
  const t = useWords('shell')
  const go = useNavigate()
  const { user } = useSignedIn()
  const offer = useSyncExternalStore(subscribeOffer, offerNow)
  const [guide, setGuide] = useState(false)
  const to = (place: keyof typeof places) => () => void go(places[place].path)
  const items: MenuItem[] = [
    { key: 'profile', label: t('avatar.profile'), icon: 'person', onSelect: to('profile') },
    { key: 'password', label: t('avatar.password'), icon: 'key', onSelect: to('password') },
    { key: 'activity', label: t('avatar.activity'), icon: 'activity', onSelect: to('activity') },
    { key: 'device', label: t('avatar.device'), icon: 'device', onSelect: to('device') },
    { key: 'centre', label: t('avatar.serviceCentre'), icon: 'external', onSelect: to('entrance') },
    { key: 'logout', label: t('avatar.logout'), icon: 'leave', onSelect: to('logout') },
  ]
  if (offer !== 'none') {
    const onSelect = () => (offer === 'prompt' ? void install() : setGuide(true))
    items.splice(4, 0, { key: 'install', label: t('avatar.install'), icon: 'install', onSelect })
  }
  return (
    <>
      <Menu
        label={t('avatar.title')}
        face={<span className="avatar">{initials(user.name)}</span>}
        heading={
          <>
            <strong>{user.name}</strong>
            <span className="menu-reason">{user.email}</span>
          </>
        }
        items={items}
      />
      <Dialog open={guide} title={t('avatar.install')} onClose={() => setGuide(false)}>
        <ol className="guide">
          <li>{t('install.share')}</li>
          <li>{t('install.add')}</li>
        </ol>
        <p>{t('install.apart')}</p>
      </Dialog>
    </>
  )
}
