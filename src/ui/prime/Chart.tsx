import { Chart as PrimeChart, type ChartProps as PrimeProps } from 'primereact/chart'
import { Prime } from '#ui/prime/Prime.tsx'

export type ChartProps = Pick<PrimeProps, 'type' | 'data' | 'options'>

export default function Chart(props: ChartProps) {
  return (
    <Prime>
      <PrimeChart {...props} />
    </Prime>
  )
}
