import { PrimeReactProvider } from 'primereact/api'
import type { ReactNode } from 'react'

/** PrimeReact writes its base styles at run time; the CSP lets them in by the build's nonce (H-01). */
const nonce = document.querySelector('meta[name=style-nonce]')?.getAttribute('content') ?? ''

/** Around each part of PrimeReact. */
export const Prime = ({ children }: { children: ReactNode }) => (
  <PrimeReactProvider value={{ nonce }}>{children}</PrimeReactProvider>
)
