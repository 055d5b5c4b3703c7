import '#ui/links/tabs.css'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router-dom'
import { useCutEnds } from '#ui/links/use-cut-ends.ts'

interface TabLinksProps<Name extends string> {
  label: string
  /** `path` is an absolute path. Without it the tab is the current page with another `search`. */
  tabs: readonly { name: Name; label: string; search?: string; path?: string }[]
  currentName: Name | null
}

/** Width in px of the fade at the end of a row (`tabs.css`). */
const fadeWidth = 48

/** On a narrow screen the tabs scroll sideways, so that the current one is visible. */
export function TabLinks<Name extends string>({ label, tabs, currentName }: TabLinksProps<Name>) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const scroller = list.current
    const current = scroller?.querySelector<HTMLElement>('[aria-current]')
    if (!scroller || !current || scroller.scrollWidth <= scroller.clientWidth) return
    const { left, right } = current.getBoundingClientRect()
    const bounds = scroller.getBoundingClientRect()
    if (right > bounds.right - fadeWidth) scroller.scrollLeft += right - bounds.right + fadeWidth
    else if (left < bounds.left + fadeWidth) scroller.scrollLeft += left - bounds.left - fadeWidth
  }, [currentName])
  useCutEnds(list)
  return (
    <nav className="tabs" aria-label={label}>
      <ul className="tabs-row" ref={list}>
        {tabs.map((tab) => (
          <li key={tab.name}>
            <Link
              className="tab"
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
}
