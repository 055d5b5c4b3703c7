export function readFormer(folder: string): Promise<Map<string, Uint8Array>>
export function keepFormer(folder: string, former: Map<string, Uint8Array>): Promise<void>
