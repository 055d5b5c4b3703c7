/** What the navigation offers, by the same rules that guard the places (M12): nothing is shown that would be refused, or does not stand yet. */
import { type Caller, may } from '#domain/access.ts'
import { type Place, places, standing } from '#app/routes/paths.ts'
import type { IconName } from '#ui/icons/Icon.tsx'

interface Item {
  place: Place
  icon: IconName
}

/** Marked for provider staff: each of its items carries the tooltip that says so. */
export const menu = {
  own: [
    { place: 'home', icon: 'home' },
    { place: 'contracts', icon: 'contract' },
    { place: 'users', icon: 'users' },
    { place: 'company', icon: 'company' },
    { place: 'trail', icon: 'trail' },
  ],
  provider: [
    { place: 'services', icon: 'service' },
    { place: 'appHistory', icon: 'history' },
    { place: 'upload', icon: 'upload' },
    { place: 'modules', icon: 'module' },
    { place: 'hiddenModules', icon: 'hidden' },
    { place: 'prices', icon: 'price' },
  ],
} as const satisfies Record<string, readonly Item[]>

export type Group = keyof typeof menu
export type MenuEntry = (typeof menu)[Group][number]
export const groups = Object.keys(menu) as Group[]

export const menuFor = (group: Group, caller: Caller): MenuEntry[] =>
  menu[group].filter(({ place }) => standing.has(place) && may(places[place].who, caller))
