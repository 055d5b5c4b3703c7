import { PrimeReactProvider } from 'primereact/api'
import type { ReactNode } from 'react'

/** Nonce of the build. PrimeReact adds its base styles at run time, and the CSP allows them by this nonce (H-01). */
const nonce = document.querySelector('meta[name=style-nonce]')?.getAttribute('content') ?? ''

export const Prime = ({ children }: { children: ReactNode }) => (
  <PrimeReactProvider value={{ nonce }}>{children}</PrimeReactProvider>
)
