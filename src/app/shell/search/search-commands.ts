/** The pages and commands of the search, by the access rules of their routes. */
import type { TFunction } from 'i18next'
import { type Caller, isAllowed } from '#domain/access.ts'
import { getOtherLanguage } from '#app/i18n/language.ts'
import { chooseLanguage } from '#app/i18n/page-messages.ts'
import { storeTheme, themes } from '#app/preferences/theme.ts'
import { type RouteName, routes } from '#app/routes/paths.ts'
import { openHelp } from '#app/shell/help/open-help.ts'
import type { SearchItem } from '#patterns/search-source.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import type { IconName } from '#ui/icons/Icon.tsx'

/** Pages without parameters, in the order in which they are offered. */
const pages = [
  ['home', 'home'],
  ['contracts', 'contract'],
  ['invoices', 'invoice'],
  ['users', 'users'],
  ['company', 'company'],
  ['trail', 'trail'],
  ['customers', 'customers'],
  ['money', 'money'],
  ['services', 'service'],
  ['appHistory', 'history'],
  ['upload', 'upload'],
  ['modules', 'module'],
  ['hiddenModules', 'hidden'],
  ['prices', 'price'],
  ['profile', 'person'],
  ['password', 'key'],
  ['security', 'lock'],
  ['sessions', 'device'],
  ['device', 'device'],
  ['activity', 'activity'],
  ['outbox', 'outbox'],
  ['entrance', 'external'],
] as const satisfies readonly (readonly [RouteName, IconName])[]

/** Forms that create something. `routeName` has the access rule. */
const forms = [
  { name: 'newContract', routeName: 'newContract', path: routes.newContract.path },
  { name: 'newUser', routeName: 'users', path: `${routes.users.path}?user=new` },
  { name: 'newModule', routeName: 'newModule', path: routes.newModule.path },
  { name: 'newHiddenModule', routeName: 'newHiddenModule', path: routes.newHiddenModule.path },
  { name: 'newPrice', routeName: 'newPrice', path: routes.newPrice.path },
] as const

/** `t` is of the search, `tShell` of the layout. A user who acts for a customer creates nothing (decision 111). */
export function createSearchCommands(
  { caller, isActing }: { caller: Caller; isActing: boolean },
  t: TFunction<'search'>,
  tShell: TFunction<'shell'>,
): SearchItem[] {
  const createItem = (
    item: Partial<SearchItem> & Pick<SearchItem, 'key' | 'group' | 'icon' | 'label'>,
  ): SearchItem => ({
    detail: '',
    codes: [],
    ...item,
  })
  const otherLanguage = getOtherLanguage(getLanguage())
  return [
    ...forms
      .filter(({ routeName }) => !isActing && isAllowed(routes[routeName].access, caller))
      .map(({ name, path }) =>
        createItem({
          key: `do ${name}`,
          group: 'do',
          icon: 'plus',
          label: t(`do.${name}`),
          codes: [name],
          isSuggested: true,
          path,
        }),
      ),
    ...pages
      .filter(([routeName]) => isAllowed(routes[routeName].access, caller))
      .map(([routeName, icon]) =>
        // The English name finds the page in every language.
        createItem({
          key: `page ${routeName}`,
          group: 'goTo',
          icon,
          label: t(`page.${routeName}`),
          codes: [routeName],
          isSuggested: true,
          path: routes[routeName].path,
        }),
      ),
    ...themes.map((theme) =>
      createItem({
        key: `theme ${theme}`,
        group: 'do',
        icon: theme,
        label: tShell(`theme.${theme}`),
        codes: ['theme', theme],
        run: () => storeTheme(theme),
      }),
    ),
    createItem({
      key: 'language',
      group: 'do',
      icon: 'language',
      label: tShell('otherLanguage'),
      detail: t('do.language'),
      codes: ['language', '语言'],
      run: () => void chooseLanguage(otherLanguage),
    }),
    createItem({ key: 'help', group: 'do', icon: 'help', label: t('do.help'), codes: ['help', '?'], run: openHelp }),
    createItem({
      key: 'logout',
      group: 'do',
      icon: 'leave',
      label: tShell('avatar.logout'),
      codes: ['logout', 'sign out'],
      path: routes.logout.path,
    }),
  ]
}
