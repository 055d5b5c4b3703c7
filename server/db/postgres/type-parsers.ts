import { type PoolConfig, types } from 'pg'

const INT8 = 20

// Times, counts and change numbers stay far below 2^53. Without this parser the driver would return them as strings.
export const typeParsers: PoolConfig['types'] = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}
