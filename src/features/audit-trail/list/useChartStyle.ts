import { subscribeToTheme } from '#ui/display/theme.ts'
import { useEffect, useState } from 'react'

/** Values of CSS tokens. A canvas cannot use CSS variables. */
export interface ChartStyle {
  text: string
  grid: string
  /** As #rrggbb. */
  doneColour: string
  failedColour: string
  font: { family: string; size: number }
}

function readChartStyle(): ChartStyle {
  const computedStyle = getComputedStyle(document.documentElement)
  const readToken = (name: string) => computedStyle.getPropertyValue(name).trim()
  return {
    text: readToken('--muted'),
    grid: readToken('--line'),
    doneColour: readToken('--accent'),
    failedColour: readToken('--danger-fill'),
    font: {
      family: getComputedStyle(document.body).fontFamily,
      size: Number.parseFloat(computedStyle.fontSize) * 0.75,
    },
  }
}

export function useChartStyle(): ChartStyle {
  const [chartStyle, setChartStyle] = useState(readChartStyle)
  useEffect(() => subscribeToTheme(() => setChartStyle(readChartStyle())), [])
  return chartStyle
}
