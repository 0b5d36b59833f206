"""The application that the tools belong to."""


# ANCHOR: shop
class NoArticle(Exception):
    """The error that the model should read."""

    def __init__(self, sku: str):
        super().__init__(f'there is no article "{sku}"; there are lamp and tea')


class Db:
    """A handle to the shop's database."""

    def __init__(self):
        self.number = 0

    def order(self, sku: str, quantity: int, express: bool) -> tuple[int, int]:
        """Stores an order, and returns its number and its total in cents."""
        prices = {"lamp": 4_900, "tea": 350}
        if sku not in prices:
            raise NoArticle(sku)
        self.number += 1
        return self.number, prices[sku] * quantity + (990 if express else 0)
# ANCHOR_END: shop
