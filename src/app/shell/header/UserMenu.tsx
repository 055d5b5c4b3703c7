import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { useNavigate } from 'react-router-dom'
import { chooseLanguage, loadWithMessages } from '#app/i18n/page-messages.ts'
import { getOtherLanguage } from '#app/i18n/language.ts'
import { openHelp } from '#app/shell/help/open-help.ts'
import { routes } from '#app/routes/paths.ts'
import { storeTheme, subscribeToTheme, readTheme, themes } from '#app/preferences/theme.ts'
import { promptInstall, getInstallOffer, subscribeToInstallOffer } from '#app/browser/install-prompt.ts'
import { useIsActing, useSignedInSession } from '#state/use-store.ts'
import { Avatar, getPictureUrl } from '#ui/display/Avatar.tsx'
import { Menu, type MenuItem } from '#ui/overlay/Menu.tsx'
import { getLanguage } from '#ui/i18n/messages.ts'
import { useTranslation } from 'react-i18next'
import { getNameLang } from '#ui/i18n/name-language.ts'

const LazyAboutDialog = lazy(async () => {
  const { AboutDialog } = await loadWithMessages(() => import('#app/shell/help/AboutDialog.tsx'), 'about')
  return { default: AboutDialog }
})
const LazyInstallGuide = lazy(async () => {
  const { InstallGuide } = await loadWithMessages(() => import('#app/shell/help/InstallGuide.tsx'), 'about')
  return { default: InstallGuide }
})

/** The user's menu: profile, this device, language and help on a phone, theme (C-34), service entrance, logout (M13). */
export function UserMenu({ hasLanguage, hasHelp }: { hasLanguage: boolean; hasHelp: boolean }) {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { user } = useSignedInSession()
  const offer = useSyncExternalStore(subscribeToInstallOffer, getInstallOffer)
  const theme = useSyncExternalStore(subscribeToTheme, readTheme)
  const [OpenDialog, setOpenDialog] = useState<typeof LazyAboutDialog | null>(null)
  const goTo = (routeName: keyof typeof routes) => () => void navigate(routes[routeName].path)
  const ownItems: MenuItem[] = [
    { key: 'profile', label: t('avatar.profile'), icon: 'person', onSelect: goTo('profile') },
    { key: 'password', label: t('avatar.password'), icon: 'key', onSelect: goTo('password') },
  ]
  const languageItem: MenuItem = {
    key: 'language',
    label: t('otherLanguage'),
    icon: 'language',
    onSelect: () => void chooseLanguage(getOtherLanguage(getLanguage())),
  }
  const helpItem: MenuItem = { key: 'help', label: t('help'), icon: 'help', hasDialog: true, onSelect: openHelp }
  const items: MenuItem[] = [
    ...(useIsActing() ? [] : ownItems),
    { key: 'activity', label: t('avatar.activity'), icon: 'activity', onSelect: goTo('activity') },
    { key: 'device', label: t('avatar.device'), icon: 'device', onSelect: goTo('device') },
    ...(hasLanguage ? [languageItem] : []),
    ...themes.map((key) => ({
      key,
      label: t(`theme.${key}`),
      icon: key,
      group: t('theme.title'),
      isChosen: key === theme,
      onSelect: () => storeTheme(key),
    })),
    ...(hasHelp ? [helpItem] : []),
    {
      key: 'about',
      label: t('avatar.about'),
      icon: 'info',
      hasDialog: true,
      onSelect: () => setOpenDialog(LazyAboutDialog),
    },
    { key: 'centre', label: t('avatar.serviceCentre'), icon: 'external', onSelect: goTo('entrance') },
    { key: 'logout', label: t('avatar.logout'), icon: 'leave', onSelect: goTo('logout') },
  ]
  if (offer !== 'none') {
    const onSelect = () => (offer === 'prompt' ? void promptInstall() : setOpenDialog(LazyInstallGuide))
    items.splice(items.findIndex(({ key }) => key === 'device') + 1, 0, {
      key: 'install',
      label: t('avatar.install'),
      icon: 'install',
      hasDialog: offer === 'guide',
      onSelect,
    })
  }
  return (
    <>
      <Menu
        label={t('avatar.title')}
        iconReplacement={<Avatar name={user.name} src={getPictureUrl(user.avatar)} />}
        heading={
          <>
            <strong lang={getNameLang(user.name)}>{user.name}</strong>
            <span className="menu-reason">{user.email}</span>
          </>
        }
        items={items}
      />
      <Suspense fallback={null}>{OpenDialog && <OpenDialog onClose={() => setOpenDialog(null)} />}</Suspense>
    </>
  )
}
