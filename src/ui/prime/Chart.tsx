import { Chart as PrimeChart, type ChartProps as PrimeProps } from 'primereact/chart'
import { Prime } from '#ui/prime/Prime.tsx'

/** As Chart.js has it, which is fetched with the first of them. */
export type ChartProps = Pick<PrimeProps, 'type' | 'data' | 'options'>

export default function Chart(props: ChartProps) {
  return (
    <Prime>
      <PrimeChart {...props} />
    </Prime>
  )
}
