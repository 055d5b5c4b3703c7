import { useEffect, useState } from 'react'

/** The tokens that a canvas needs as values. */
export interface Look {
  text: string
  grid: string
  /** As #rrggbb. */
  done: string
  failed: string
  font: { family: string; size: number }
}

function readLook(): Look {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(name).trim()
  return {
    text: token('--muted'),
    grid: token('--line'),
    done: token('--accent'),
    failed: token('--danger-fill'),
    font: { family: getComputedStyle(document.body).fontFamily, size: Number.parseFloat(style.fontSize) * 0.75 },
  }
}

/** Read again when the theme is another. */
export function useLook(): Look {
  const [look, setLook] = useState(readLook)
  useEffect(() => {
    const watch = new MutationObserver(() => setLook(readLook()))
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => watch.disconnect()
  }, [])
  return look
}
