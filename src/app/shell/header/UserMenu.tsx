import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { useNavigate } from 'react-router-dom'
import { loadWords } from '#app/i18n/i18n.ts'
import { places } from '#app/routes/paths.ts'
import { chooseTheme, subscribeTheme, themeNow, themes } from '#app/preferences/theme.ts'
import { install, offerNow, subscribeOffer } from '#app/browser/install-prompt.ts'
import { useSignedIn } from '#state/hooks.ts'
import { Avatar, pictureAt } from '#ui/display/Avatar.tsx'
import { Menu, type MenuItem } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'
import { langOf } from '#ui/i18n/name-language.ts'

const About = lazy(async () => {
  const [{ About: Drawn }] = await Promise.all([import('#app/shell/help/AboutDialog.tsx'), loadWords('about')])
  return { default: Drawn }
})
const InstallGuide = lazy(async () => {
  const [{ InstallGuide: Drawn }] = await Promise.all([import('#app/shell/help/InstallGuide.tsx'), loadWords('about')])
  return { default: Drawn }
})

/** The user's own things: profile, this device, light or dark (C-34), the service entrance, the way out (M13). */
export function AvatarMenu() {
  const { t } = useTranslation('shell')
  const go = useNavigate()
  const { user } = useSignedIn()
  const offer = useSyncExternalStore(subscribeOffer, offerNow)
  const theme = useSyncExternalStore(subscribeTheme, themeNow)
  const [Shown, setShown] = useState<typeof About | null>(null)
  const to = (place: keyof typeof places) => () => void go(places[place].path)
  const items: MenuItem[] = [
    { key: 'profile', label: t('avatar.profile'), icon: 'person', onSelect: to('profile') },
    { key: 'password', label: t('avatar.password'), icon: 'key', onSelect: to('password') },
    { key: 'activity', label: t('avatar.activity'), icon: 'activity', onSelect: to('activity') },
    { key: 'device', label: t('avatar.device'), icon: 'device', onSelect: to('device') },
    ...themes.map((key) => ({
      key,
      label: t(`theme.${key}`),
      icon: key,
      chosen: key === theme,
      onSelect: () => chooseTheme(key),
    })),
    { key: 'about', label: t('avatar.about'), icon: 'info', onSelect: () => setShown(About) },
    { key: 'centre', label: t('avatar.serviceCentre'), icon: 'external', onSelect: to('entrance') },
    { key: 'logout', label: t('avatar.logout'), icon: 'leave', onSelect: to('logout') },
  ]
  if (offer !== 'none') {
    const onSelect = () => (offer === 'prompt' ? void install() : setShown(InstallGuide))
    items.splice(4, 0, { key: 'install', label: t('avatar.install'), icon: 'install', onSelect })
  }
  return (
    <>
      <Menu
        label={t('avatar.title')}
        face={<Avatar name={user.name} src={pictureAt(user.avatar)} />}
        heading={
          <>
            <strong lang={langOf(user.name)}>{user.name}</strong>
            <span className="menu-reason">{user.email}</span>
          </>
        }
        items={items}
      />
      <Suspense fallback={null}>{Shown && <Shown onClose={() => setShown(null)} />}</Suspense>
    </>
  )
}
