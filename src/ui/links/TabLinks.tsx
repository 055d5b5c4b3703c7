import { useEffect, useRef } from 'react'
import { Link } from 'react-router-dom'

interface TabLinksProps<Name extends string> {
  className: string
  label: string
  /** `path` is an absolute path. Without it the tab is the current page with another `search`. */
  tabs: readonly { name: Name; label: string; search?: string; path?: string }[]
  currentName: Name | null
}

/** On a narrow screen the tabs scroll sideways, so that the current one is visible. */
export function TabLinks<Name extends string>({ className, label, tabs, currentName }: TabLinksProps<Name>) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]')
    const scroller = current && findScroller(current)
    if (!scroller) return
    const { left, right } = current.getBoundingClientRect()
    const bounds = scroller.getBoundingClientRect()
    if (right > bounds.right) scroller.scrollLeft += right - bounds.right
    else if (left < bounds.left) scroller.scrollLeft += left - bounds.left
  }, [currentName])
  return (
    <nav className={className} aria-label={label}>
      <ul ref={list}>
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
}

function findScroller(element: HTMLElement): HTMLElement | null {
  for (let parent = element.parentElement; parent && parent.tagName !== 'MAIN'; parent = parent.parentElement)
    if (parent.scrollWidth > parent.clientWidth) return parent
  return null
}
