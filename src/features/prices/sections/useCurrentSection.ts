import { useEffect, useState } from 'react'

/** Distance from the top of the window at which a section becomes the current one, in px: the header, the links and a gap. */
const readingLine = 160

/** Returns the id of the section in view: the last one whose heading is above the reading line. At the end of the page it is the last one. */
export function useCurrentSection(ids: readonly string[]): string | undefined {
  const [currentId, setCurrentId] = useState(ids[0])
  const key = ids.join(' ')
  useEffect(() => {
    let frame = 0
    const update = () => {
      frame = 0
      const headings = key.split(' ').flatMap((id) => document.getElementById(id) ?? [])
      const { scrollHeight, clientHeight } = document.documentElement
      const isAtEnd = scrollHeight > clientHeight && scrollY + clientHeight >= scrollHeight - 2
      const line = isAtEnd ? clientHeight : readingLine
      setCurrentId((headings.findLast((heading) => heading.getBoundingClientRect().top <= line) ?? headings[0])?.id)
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(update)
    }
    schedule()
    addEventListener('scroll', schedule, { passive: true })
    addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', schedule)
      removeEventListener('resize', schedule)
    }
  }, [key])
  return currentId
}
