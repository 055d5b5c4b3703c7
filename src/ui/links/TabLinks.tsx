import { Link } from 'react-router-dom'

interface TabLinksProps<Name extends string> {
  className: string
  label: string
  /** `path` is an absolute path. Without it the tab is the current page with another `search`. */
  tabs: readonly { name: Name; label: string; search?: string; path?: string }[]
  currentName: Name | null
}

export const TabLinks = <Name extends string>({ className, label, tabs, currentName }: TabLinksProps<Name>) => (
  <nav className={className} aria-label={label}>
    <ul>
      {tabs.map((tab) => (
        <li key={tab.name}>
          <Link
            to={tab.path ?? { search: tab.search ?? '' }}
            aria-current={tab.name === currentName ? 'page' : undefined}
          >
            {tab.label}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)
